import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FirstAdmin } from './features/identity/index.ts';
import { VERSION } from './kernel/version.ts';

export interface StartFacts {
  url: string;
  admin: FirstAdmin;
  dataDir: string;
  model: string;
}

/** What the terminal shows when the service is up: all that a newcomer needs for a first answer. */
export const banner = ({ url, admin, dataDir, model }: StartFacts): string => {
  const password = admin.password ?? '<password>';
  const secret =
    admin.password !== null
      ? `${admin.password}   (generated, shown this once)`
      : admin.created
        ? 'as set by ADMIN_PASSWORD'
        : 'as before';
  const answers =
    model === 'builtin'
      ? 'builtin: no model key is set, so answers are extracted from your documents.\n             Set MODEL and a key (OPENAI_API_KEY, ANTHROPIC_API_KEY, …) for a language model.'
      : model;
  return `
  Pentarch ${VERSION} is up

  Address    ${url}      reference: ${url}/docs
  Admin      ${admin.email}
  Password   ${secret}
  Data       ${dataDir}
  Model      ${answers}

  Try it:

  TOKEN=$(curl -s ${url}/v2/auth/login -H 'Content-Type: application/json' -d '{"email":"${admin.email}","password":"${password}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s ${url}/api/v1/chat -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"message":"Hello! What can you do?"}'

`;
};

/** In the data folder. */
export const FIRST_PASSWORD_FILE = 'admin-password';

/** Where no terminal can show it: for the owner of the folder alone. The file's path. */
export const keepFirstPassword = (dataDir: string, password: string): string => {
  const file = path.join(dataDir, FIRST_PASSWORD_FILE);
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return file;
};
