import { snake } from './words.ts';

/**
 * The reference pages of the clients (docs/reference/clients-*.md): the signatures of what was generated, taken from the
 * generated sources themselves, so that a page cannot say anything else.
 */

interface Entry {
  readonly signature: string;
  readonly about: string;
}

interface Section {
  readonly name: string;
  readonly entries: readonly Entry[];
}

interface Language {
  readonly title: string;
  readonly fence: string;
  readonly file: string;
  readonly about: string;
  readonly sections: readonly Section[];
  readonly models: string;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const typescriptSections = (text: string): Section[] =>
  [...text.matchAll(/export const (\w+) = \(http: Http\) => \(\{\n([\s\S]*?)\n\}\);/g)]
    .filter(([, name]) => name !== 'allResources')
    .map(([, name = '', body = '']) => ({
      name: `client.${name}`,
      entries: [...body.matchAll(/ {2}\/\*\* (.*?) \*\/\n {2}(\w+): \((.*?)\): (.+?) =>\n/g)].map(
        ([, about = '', method = '', parameters = '', returns = '']) => ({
          about,
          signature: `${method}(${parameters}): ${returns}`.replaceAll('m.', ''),
        }),
      ),
    }));

const pythonSections = (text: string): Section[] =>
  [...text.matchAll(/\nclass (?!Async|AllResources)(\w+):\n([\s\S]*?)(?=\nclass )/g)].map(
    ([, name = '', body = '']) => ({
      name: `client.${snake(name)}`,
      entries: [
        ...body.matchAll(/ {4}def (?!__)(\w+)\(\n([\s\S]*?)\n? {4}\) -> ([^\n]+):\n {8}"""([\s\S]*?)"""/g),
      ].map(([, method = '', parameters = '', returns = '', about = '']) => ({
        about: oneLine(about),
        signature: `${method}(${oneLine(parameters)
          .replace(/^self, ?/, '')
          .replace(/,$/, '')}) -> ${returns}`
          .replaceAll('builtins.', '')
          .replaceAll('m.', ''),
      })),
    }),
  );

const goSections = (text: string): Section[] => {
  const found = new Map<string, Entry[]>();
  for (const match of text.matchAll(/((?:\/\/ .*\n)+)func \(r \*(\w+)\) (\w+)\((.*)\) (.+) \{\n/g)) {
    const [, comment = '', resource = '', method = '', parameters = '', returns = ''] = match;
    const about = oneLine(comment.replaceAll(/^\/\/ /gm, '')).replace(new RegExp(`^${method}: `), '');
    const list = found.get(resource) ?? [];
    list.push({ about, signature: `${method}(${parameters}) ${returns}` });
    found.set(resource, list);
  }
  return [...found].map(([name, entries]) => ({ name: `client.${name}`, entries }));
};

const modelsOf = (text: string): string => {
  // From the first declaration on: what stands above is imports.
  const at = text.search(/^(export interface|class |\/\/ (?!Code|Generated)[A-Z]\w+ |type )/m);
  return text.slice(Math.max(0, at)).trimEnd();
};

const pageOf = ({ title, fence, file, about, sections, models }: Language): [string, string] => {
  const operations = sections.reduce((sum, { entries }) => sum + entries.length, 0);
  const parts = sections.map(({ name, entries }) => {
    const list = entries.map(
      ({ signature, about: what }) =>
        `**${what.replaceAll('*', '\\*')}**\n\n\`\`\`${fence}\n${signature}\n\`\`\`\n`,
    );
    return `## ${name}\n\n${list.join('\n')}`;
  });
  const text = `# ${title}: all methods and models

<!-- Generated from api/openapi.json by "npm run sdk"; do not edit. -->

${operations} methods by resource, then every model. ${about}

${parts.join('\n')}
## Models

\`\`\`${fence}
${models}
\`\`\`
`;
  return [file, text];
};

/** @param generated the sources that the writers of the three languages made, by file. */
export const writeReference = (generated: ReadonlyMap<string, string>): Map<string, string> => {
  const source = (file: string): string => {
    const text = generated.get(file);
    if (text === undefined) throw new Error(`${file} was not generated`);
    return text;
  };
  const languages: readonly Language[] = [
    {
      title: 'Pentarch for TypeScript',
      fence: 'ts',
      file: 'docs/reference/clients-typescript.md',
      about:
        'First steps, signing in, errors, events and uploads: [sdk/typescript/README.md](../../sdk/typescript/README.md).',
      sections: typescriptSections(source('sdk/typescript/src/generated/resources.ts')),
      models: modelsOf(source('sdk/typescript/src/generated/models.ts')),
    },
    {
      title: 'Pentarch for Python',
      fence: 'python',
      file: 'docs/reference/clients-python.md',
      about:
        'They stand here as `Client` has them; `AsyncClient` has the same with `await` and `async for`. First steps, signing in, errors, events and uploads: [sdk/python/README.md](../../sdk/python/README.md).',
      sections: pythonSections(source('sdk/python/src/pentarch/_generated/resources.py')),
      models: modelsOf(source('sdk/python/src/pentarch/_generated/models.py')),
    },
    {
      title: 'Pentarch for Go',
      fence: 'go',
      file: 'docs/reference/clients-go.md',
      about:
        'First steps, signing in, errors, events and uploads: [sdk/go/README.md](../../sdk/go/README.md).',
      sections: goSections(source('sdk/go/resources_gen.go')),
      models: modelsOf(source('sdk/go/models_gen.go')),
    },
  ];
  return new Map(languages.map(pageOf));
};
