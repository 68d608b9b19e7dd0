import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { BlobStore } from '../../kernel/blobs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { checkedKey } from './key.ts';

/**
 * Blobs as objects of an S3-compatible store: `<prefix><key>`, and while they are staged an empty `<prefix>staged/<key>` beside
 * it, which is written before the object and removed after it, so that whatever a crash leaves behind can be found.
 */
export interface ObjectStoreOptions {
  bucket: string;
  /** Before every key; empty, or ending in a slash. */
  prefix: string;
  region: string;
  /** Address of a store that is not Amazon's; buckets are then part of the path. */
  endpoint: string | null;
  /** Null: the environment's own (variables, profile, the role of the machine). */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
  clock: Clock;
  /** Objects staged for less than this may be at work on another node. */
  othersWorkMs: number;
}

export interface ObjectBlobs extends BlobStore {
  /** Throws an Error for the operator when the bucket cannot be reached with these settings. */
  check(): Promise<void>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Longest silence of the store. */
const REQUEST_TIMEOUT_MS = 30_000;

const reasonOf = (error: unknown): string =>
  error instanceof S3ServiceException
    ? `${error.name}${error.$metadata.httpStatusCode === undefined ? '' : ` (${error.$metadata.httpStatusCode})`}`
    : error instanceof Error
      ? error.message || error.name
      : String(error);

/** What clients are told: what is wrong inside stands in the log alone. */
const unavailable = (error: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'the store of documents does not answer; try again', {
    retryAfterS: 5,
    cause: error,
  });

export const createObjectBlobs = (options: ObjectStoreOptions): ObjectBlobs => {
  const { bucket, prefix, clock } = options;
  const client = new S3Client({
    region: options.region,
    ...(options.endpoint === null ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    ...(options.credentials === null ? {} : { credentials: options.credentials }),
    // Sums that the request does not need are unknown to many compatible stores.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  });
  const objectOf = (key: string) => ({ Bucket: bucket, Key: `${prefix}${checkedKey(key)}` });
  const stagedPrefix = `${prefix}staged/`;
  const markOf = (key: string) => ({ Bucket: bucket, Key: `${stagedPrefix}${checkedKey(key)}` });

  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw unavailable(error);
    }
  };
  const put = (where: { Bucket: string; Key: string }, bytes: Uint8Array) =>
    asked(client.send(new PutObjectCommand({ ...where, Body: bytes, ContentLength: bytes.byteLength })));
  const drop = (where: { Bucket: string; Key: string }) => asked(client.send(new DeleteObjectCommand(where)));
  const mark = (key: string) => put(markOf(key), new Uint8Array());

  return {
    async check() {
      try {
        await client.send(new HeadBucketCommand({ Bucket: bucket }));
      } catch (error) {
        throw new Error(
          `S3_BUCKET ${bucket} cannot be used: ${reasonOf(error)}. Check S3_ENDPOINT, S3_REGION and the access key`,
          { cause: error },
        );
      }
    },
    close: () => client.destroy(),

    async stage(key, bytes) {
      await mark(key);
      await put(objectOf(key), bytes);
    },
    async settle(key) {
      await drop(markOf(key));
    },
    async unsettle(key) {
      await mark(key);
    },
    async read(key) {
      const where = objectOf(key);
      try {
        const { Body } = await client.send(new GetObjectCommand(where));
        return (await Body?.transformToByteArray()) ?? null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw unavailable(error);
      }
    },
    async remove(key) {
      await drop(objectOf(key));
      await drop(markOf(key));
    },
    async staged() {
      const keys: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const page = await asked(
          client.send(
            new ListObjectsV2Command({
              Bucket: bucket,
              Prefix: stagedPrefix,
              ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
            }),
          ),
        );
        for (const { Key, LastModified } of page.Contents ?? []) {
          if (Key === undefined) continue;
          const age = clock.now() - (LastModified?.getTime() ?? 0);
          if (age >= options.othersWorkMs) keys.push(Key.slice(stagedPrefix.length));
        }
        ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (ContinuationToken !== undefined);
      return keys;
    },
  };
};
