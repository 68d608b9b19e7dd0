import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUCKET, startObjectStore, type TestObjectStore } from '../../../test/support/object-store.ts';
import { createObjectBlobs, type ObjectBlobs, type ObjectStoreOptions } from './objects.ts';

let store: TestObjectStore;
let blobs: ObjectBlobs;
let now = Date.now();
const open = (changes: Partial<ObjectStoreOptions> = {}): ObjectBlobs =>
  createObjectBlobs({
    bucket: BUCKET,
    prefix: 'house/',
    region: 'us-east-1',
    endpoint: store.url,
    credentials: { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret' },
    clock: { now: () => now },
    othersWorkMs: 0,
    ...changes,
  });
beforeEach(async () => {
  store = await startObjectStore();
  now = Date.now() + 1_000;
  blobs = open();
});
afterEach(async () => {
  blobs.close();
  await store.close();
});

const bytes = new Uint8Array([0, 1, 255]);

it('keeps bytes while they are staged, settled and on their way out', async () => {
  expect(await blobs.read('ab.1')).toBeNull();
  await blobs.stage('ab.1', bytes);
  expect(await blobs.staged()).toEqual(['ab.1']);
  expect(await blobs.read('ab.1')).toEqual(bytes);
  await blobs.settle('ab.1');
  expect(await blobs.staged()).toEqual([]);
  expect(await blobs.read('ab.1')).toEqual(bytes);
  await blobs.unsettle('ab.1');
  expect(await blobs.staged()).toEqual(['ab.1']);
  await blobs.remove('ab.1');
  expect(await blobs.read('ab.1')).toBeNull();
  expect([...store.objects.keys()]).toEqual([]);
});

it('finds what is staged over all pages of a list', async () => {
  const keys = ['a.1', 'a.2', 'a.3', 'a.4', 'a.5'];
  for (const key of keys) await blobs.stage(key, bytes);
  expect(await blobs.staged()).toEqual(keys);
});

it('leaves alone what another node may be at work on', async () => {
  const patient = open({ othersWorkMs: 60_000 });
  await patient.stage('ab.1', bytes);
  expect(await patient.staged()).toEqual([]);
  now += 60_000;
  expect(await patient.staged()).toEqual(['ab.1']);
  patient.close();
});

it('takes no key that leaves its prefix', async () => {
  for (const key of ['../x', 'a/b', '', '.x', 'a\u0000', 'a\\b']) {
    await expect(blobs.stage(key, bytes)).rejects.toThrow('not a blob key');
    await expect(blobs.read(key)).rejects.toThrow('not a blob key');
  }
  expect(store.objects.size).toBe(0);
});

it('says 503 to callers and what is wrong to the operator', async () => {
  const stranger = open({ credentials: { accessKeyId: 'other', secretAccessKey: 'x' } });
  await expect(stranger.check()).rejects.toThrow(/S3_BUCKET documents cannot be used: .*403/);
  await expect(stranger.read('ab.1')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterS: 5 });
  stranger.close();
  const nowhere = open({ bucket: 'other' });
  await expect(nowhere.check()).rejects.toThrow(/S3_BUCKET other cannot be used: .*404/);
  nowhere.close();
});
