import { unstorableArchive } from '../suites/unstorable-archive.ts';

unstorableArchive(() => Promise.resolve({}));
