import { globMatches } from '../../kernel/glob.ts';
import type { ModelRef } from '../../kernel/model.ts';

/** Which models can see pictures. */

/** Families that their makers describe so, by the name without the provider. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  openai: [
    'gpt-4o*',
    'gpt-4.1*',
    'gpt-4.5*',
    'gpt-4-turbo*',
    'gpt-5*',
    'o1',
    'o1-2*',
    'o3',
    'o3-2*',
    'o4-mini*',
  ],
  anthropic: ['claude-3*', 'claude-opus-*', 'claude-sonnet-*', 'claude-haiku-*'],
  google: ['gemini-*'],
};

/** What models are called where anybody may serve them: as file, with the maker before a slash or a size behind a colon. */
const BY_ANYBODY = [
  '*llava*',
  '*bakllava*',
  '*moondream*',
  '*pixtral*',
  '*gemma3*',
  '*gemma-3*',
  '*minicpm-v*',
  '*internvl*',
  '*smolvlm*',
  '*-vl*',
  '*2.5vl*',
  '*3vl*',
  '*vision*',
];

const NEVER = new Set(['builtin', 'gguf']);

/** By the setting VISION_MODELS, whose last glob that fits decides, and else by what is known of the name. */
export const createSees = (settings: readonly string[]): ((ref: ModelRef) => boolean) => {
  const rules = settings.map((setting) => ({
    glob: setting.replace(/^!/, ''),
    sees: !setting.startsWith('!'),
  }));
  return ({ id, provider, name }) => {
    if (NEVER.has(provider)) return false;
    const said = rules.findLast(({ glob }) => globMatches(glob, id));
    if (said !== undefined) return said.sees;
    const lower = name.toLowerCase();
    return (KNOWN[provider] ?? BY_ANYBODY).some((glob) => globMatches(glob, lower));
  };
};
