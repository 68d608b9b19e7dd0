import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INLINE_MARK, withMathAsCode } from './marks.ts';

const code = (formula: string): string => `\`${INLINE_MARK}${formula}\``;
const block = (formula: string): string => `\`\`\`math\n${formula}\n\`\`\``;

describe('formulas as models write them', () => {
  it.each([
    ['The area is \\(\\pi r^2\\).', `The area is ${code('\\pi r^2')}.`],
    ['Then $a_1 + a_2 = b$ holds.', `Then ${code('a_1 + a_2 = b')} holds.`],
    ['for $n$, $x^2$ and $\\alpha$', `for ${code('n')}, ${code('x^2')} and ${code('\\alpha')}`],
    ['is $$x^2$$ here', `is ${code('x^2')} here`],
    ['$`a_b`$ as hosts of code write it', `${code('a_b')} as hosts of code write it`],
    ['So:\n\\[\nE = mc^2\n\\]\nand', `So:\n${block('E = mc^2')}\nand`],
    ['$$\n\\frac{a}{b}\n$$', block('\\frac{a}{b}')],
    ['$$a = b$$.', block('a = b')],
    ['1. first\n   \\[ x \\]\n2. second', '1. first\n   ```math\n   x\n   ```\n2. second'],
    ['```npm i``` installs it, $x_1$', `\`\`\`npm i\`\`\` installs it, ${code('x_1')}`],
    ['~~~ x ~~~\n\n$y_1$\n~~~\n$z_1$', `~~~ x ~~~\n\n$y_1$\n~~~\n${code('z_1')}`],
    ['- ```sh\n  ls\n  ```\n\nThen $E=mc^2$', `- \`\`\`sh\n  ls\n  \`\`\`\n\nThen ${code('E=mc^2')}`],
    ['> ```\n> x\n\nafter $y^2$', `> \`\`\`\n> x\n\nafter ${code('y^2')}`],
    ['$$\r\nx^2\r\n$$\r\n', `${block('x^2')}\n`],
    ['> quoted\n> $$\n> x_1\n> $$', '> quoted\n> ```math\n> x_1\n> ```'],
  ])('%j', (text, wanted) => {
    expect(withMathAsCode(text).replace(/[ ]+$/gm, '')).toBe(wanted.replace(/[ ]+$/gm, ''));
  });
});

describe('what is none', () => {
  it.each([
    'It costs $5 and $10.',
    'between $5 and $6, US$7',
    'from $20-$30 each',
    '$ echo $HOME and $PATH',
    'a `$x_1$` in code and `` \\(y\\) ``',
    '```sh\necho $a_1 $b\n\\[ x \\]\n```',
    '~~~\n$$x$$\n```\n$$y$$\n~~~',
    'an escaped \\$x_1\\$',
    '\\(not closed',
    '\\[a\n\nb\\]',
    'open fence\n```\n$x_1$',
    '- ```bash\n  export A="$x_1$"\n  ```',
    '```md\n```js\n$x_1$\n```',
    '> ```\n> $x_1$',
    '    echo $A_B$',
    '[t](http://x/$a_b$)',
    'https://h.example/$a_b$/c',
    'C:\\(x86)\\foo and \\(bar',
    'set $USER_NAME$ first',
    '$("#a_b").x($)',
    '<img alt="$x_1$">',
  ])('%j', (text) => {
    expect(withMathAsCode(text)).toBe(text);
  });

  it('any text without dollars and brackets behind backslashes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = text.replaceAll('$', '').replaceAll(/\\(?=[([])/g, '');
        expect(withMathAsCode(plain)).toBe(plain);
      }),
    );
  });
});

it('keeps every formula that it marks', () => {
  const formula = fc.stringMatching(/^[a-z]_[0-9]\^[a-z]$/);
  fc.assert(
    fc.property(
      formula,
      fc.constantFrom(['\\(', '\\)'], ['$', '$'], ['$$', '$$'], ['\\[', '\\]']),
      (x, [open, close]) => {
        expect(withMathAsCode(`so ${open}${x}${close} is`)).toBe(`so ${code(x)} is`);
      },
    ),
  );
});

it.each(['`', '$', '$$', '\\[', '\\(', '$`', '``` ', '$a', '` `` '])(
  'reads twenty thousand times %j',
  (piece) => {
    const text = piece.repeat(20_000);
    expect(withMathAsCode(text).length).toBeGreaterThan(0);
  },
);
