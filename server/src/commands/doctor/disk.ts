import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { lockDataDir } from '../../db/lock.ts';
import { type Finding, fail, ok, reasonOf, warn } from './check.ts';

const GIB = 1024 ** 3;
const FREE_WARN_BYTES = 2 * GIB;
const FREE_FAIL_BYTES = 100 * 1024 ** 2;

const folderFinding = (folder: string): Finding => {
  const what = 'data folder';
  if (!existsSync(folder)) return ok(what, `${folder} is not there yet; the first start makes it`);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return fail(what, `${folder}: ${reasonOf(error)}. Give it to the account that runs the server (chown)`);
  }
  const { mode } = statSync(folder);
  return (mode & 0o077) === 0
    ? ok(what, `${folder}, for its owner alone`)
    : warn(
        what,
        `${folder} can be entered by other accounts (mode ${(mode & 0o777).toString(8)}): chmod 700`,
      );
};

const lockFinding = (folder: string): Finding => {
  if (!existsSync(folder)) return ok('lock', 'free');
  try {
    lockDataDir(folder).release();
    return ok('lock', 'free: no server runs on this data folder');
  } catch {
    return ok('lock', 'held: a server runs on this data folder');
  }
};

const spaceFinding = async (folder: string): Promise<Finding> => {
  let at = folder;
  while (!existsSync(at)) at = path.dirname(at);
  const { bavail, bsize } = await statfs(at);
  const freeBytes = bavail * bsize;
  const text = `${(freeBytes / GIB).toFixed(1)} GiB free`;
  if (freeBytes < FREE_FAIL_BYTES)
    return fail('disk', `${text}: writes will be refused. Free some, or enlarge the disk`);
  if (freeBytes < FREE_WARN_BYTES)
    return warn('disk', `${text}: plan for more, or shorten the RETENTION_… settings`);
  return ok('disk', text);
};

const keysFinding = (folder: string): Finding => {
  const keys = path.join(folder, 'keys');
  if (!existsSync(keys)) return ok('keys', 'none yet; the first start makes them');
  const faults: string[] = [];
  const names = readdirSync(keys);
  for (const name of names) {
    const file = path.join(keys, name);
    try {
      accessSync(file, constants.R_OK);
      if ((statSync(file).mode & 0o077) !== 0)
        faults.push(`${name} can be read by other accounts: chmod 600`);
    } catch (error) {
      faults.push(`${name}: ${reasonOf(error)}`);
    }
  }
  return faults.length === 0
    ? ok('keys', `${names.length} readable, for their owner alone`)
    : fail('keys', faults.join('; '));
};

export const diskFindings = async (config: Config): Promise<Finding[]> => {
  const folder = path.resolve(config.DATA_DIR);
  const first = folderFinding(folder);
  if (first.level === 'fail') return [first, await spaceFinding(folder)];
  return [first, lockFinding(folder), await spaceFinding(folder), keysFinding(folder)];
};
