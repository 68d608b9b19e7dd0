import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longestFirst } from './lanes.ts';

/** A fresh clone has no durations of an earlier run that vitest could go by. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files), (file) => file.moduleId);
  }
}
