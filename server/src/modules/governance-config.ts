import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Config, ConfigError } from '../config.ts';
import { governanceConfig } from '../features/governance/index.ts';
import { defineModule } from './module.ts';

const settingsFile = (file: string | null, setting: string): unknown => {
  if (file === null) return null;
  try {
    return parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new ConfigError(
      `${setting}="${file}" cannot be read: ${error instanceof Error ? error.message : ''}`,
    );
  }
};

/** Thresholds, seats and policies of GOVERNANCE_FILE, or the defaults. */
export const governanceConfigModule = defineModule({
  name: 'governanceConfig',
  needs: ['config'],
  build: ({ config }: { config: Pick<Config, 'GOVERNANCE_FILE'> }) => ({
    service: governanceConfig(settingsFile(config.GOVERNANCE_FILE, 'GOVERNANCE_FILE')),
  }),
});
