import type { Command } from 'commander';
import type { Context, Runtime } from './context.ts';

/** What a command needs to stand in the program. */
export interface Shell {
  readonly runtime: Runtime;
  /** Options of the whole program and of this command, made into clients and outputs. */
  open(command: Command, options?: { newProfile: boolean }): Context;
  /** Adds examples to the help. */
  finish(command: Command, examples: readonly string[]): Command;
}

/** An option's value as text; undefined where it was not given. */
export const textOption = (command: Command, name: string): string | undefined => {
  const value: unknown = command.opts()[name];
  return typeof value === 'string' ? value : undefined;
};

export const flagOption = (command: Command, name: string): boolean => command.opts()[name] === true;

export const listOption = (command: Command, name: string): string[] => {
  const value: unknown = command.opts()[name];
  return Array.isArray(value) ? value.map(String) : [];
};

export const argument = (command: Command, n: number): string => command.args[n] ?? '';
