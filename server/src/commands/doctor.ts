import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../config.ts';
import type { Command, Io } from './command.ts';
import { type Finding, fail, ok, warn } from './doctor/check.ts';
import { diskFindings } from './doctor/disk.ts';
import { networkFindings } from './doctor/network.ts';
import { storeFindings } from './doctor/store.ts';

const settingsFindings = (config: Config): Finding[] => {
  const findings = [ok('settings', 'all can be read')];
  if (!config.RATE_LIMITS)
    findings.push(warn('settings', 'RATE_LIMITS is off: nothing holds back a caller. For tests only'));
  if (!config.LOGIN_LOCKOUT)
    findings.push(warn('settings', 'LOGIN_LOCKOUT is off: passwords can be guessed without end'));
  if (config.METRICS_TOKEN === null) findings.push(ok('settings', '/metrics asks for no token'));
  return findings;
};

export const doctor: Command = {
  name: 'doctor',
  usage: '[--offline]',
  about:
    'Check settings, data folder, store, keys, Redis, TLS, port and model; exit 1 when something is wrong',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values } = parseArgs({
      args: [...args],
      options: { offline: { type: 'boolean', default: false } },
    });
    const findings: Finding[] = [];
    const major = Number(process.versions.node.split('.')[0]);
    findings.push(ok('node', process.version));
    if (major < 24) findings.push(fail('node', 'version 24 or newer is needed: npm ci installs it'));
    try {
      const config = loadConfig(io.env, io.folder);
      findings.push(...settingsFindings(config), ...(await diskFindings(config)));
      findings.push(
        ...(await storeFindings(config, io.now)),
        ...(await networkFindings(config, io.now, values.offline)),
      );
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      findings.push(...error.message.split('\n').map((line) => fail('settings', line)));
    }
    for (const { level, what, text } of findings) io.out(`${level.padEnd(5)} ${what.padEnd(14)} ${text}`);
    const count = (level: Finding['level']): number =>
      findings.filter((finding) => finding.level === level).length;
    io.out(`${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} wrong`);
    return count('fail') === 0 ? 0 : 1;
  },
};
