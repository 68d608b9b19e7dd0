import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '../../lib/api.ts';
import { faultOf, isSignedOut } from '../../lib/errors.ts';
import { useHasEnded, useSignedIn } from '../../lib/signed-in.ts';

/**
 * Files on their way to the server: two at a time, the others wait; one that fails does not stop the rest. Where the session ends
 * in the middle all that is left waits for a new one.
 */

export interface Upload {
  key: string;
  name: string;
  sizeBytes: number;
  state: 'waiting' | 'sending' | 'indexing' | 'done' | 'failed';
  /** 0–1 of the bytes. */
  sent: number;
  /** In plain words, when it failed. */
  fault: string | null;
  documentId: string | null;
}

interface Job {
  key: string;
  file: File;
  visibility: 'private' | 'tenant';
}

const AT_ONCE = 2;

export const useUploads = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  const signedIn = useSignedIn();
  const ended = useHasEnded();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const waiting = useRef<Job[]>([]);
  /** Kept to be sent again. */
  const failed = useRef(new Map<string, Job>());
  const running = useRef(0);

  const change = useCallback((key: string, next: Partial<Upload>) => {
    setUploads((list) => list.map((one) => (one.key === key ? { ...one, ...next } : one)));
  }, []);

  const next = useCallback(() => {
    if (running.current >= AT_ONCE || signedIn.ended()) return;
    const job = waiting.current.shift();
    if (job === undefined) return;
    running.current += 1;
    change(job.key, { state: 'sending' });
    api.knowledge
      .uploadDocument(job.file, {
        visibility: job.visibility,
        onProgress: ({ sentBytes, totalBytes }) => {
          const sent = totalBytes === 0 ? 0 : sentBytes / totalBytes;
          change(job.key, { sent, state: sent >= 1 ? 'indexing' : 'sending' });
        },
      })
      .then(
        (document) => change(job.key, { state: 'done', sent: 1, documentId: document.id }),
        (error: unknown) => {
          if (isSignedOut(error)) {
            signedIn.end(error);
            waiting.current.unshift(job);
            change(job.key, { state: 'waiting', sent: 0 });
            return;
          }
          failed.current.set(job.key, job);
          change(job.key, { state: 'failed', fault: faultOf(error).message });
        },
      )
      .finally(() => {
        running.current -= 1;
        void queryClient.invalidateQueries({ queryKey: ['knowledge', 'documents'] });
        next();
      });
    next();
  }, [api, change, queryClient, signedIn]);
  useEffect(() => {
    if (!ended) next();
  }, [ended, next]);

  const add = useCallback(
    (files: readonly File[], visibility: 'private' | 'tenant') => {
      const jobs = files.map((file) => ({ key: crypto.randomUUID(), file, visibility }));
      waiting.current.push(...jobs);
      setUploads((list) => [
        ...list,
        ...jobs.map(
          ({ key, file }): Upload => ({
            key,
            name: file.webkitRelativePath || file.name,
            sizeBytes: file.size,
            state: 'waiting',
            sent: 0,
            fault: null,
            documentId: null,
          }),
        ),
      ]);
      next();
    },
    [next],
  );
  const retry = useCallback(
    (key: string) => {
      const job = failed.current.get(key);
      if (job === undefined) return;
      failed.current.delete(key);
      waiting.current.push(job);
      change(key, { state: 'waiting', sent: 0, fault: null });
      next();
    },
    [change, next],
  );
  const clear = useCallback(() => {
    failed.current.clear();
    setUploads((list) => list.filter(({ state }) => state !== 'done' && state !== 'failed'));
  }, []);
  return { uploads, add, retry, clear };
};

const entriesOf = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject));

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const filesOfEntry = async (entry: FileSystemEntry): Promise<File[]> => {
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const files: File[] = [];
  // A reader hands out at most a hundred at a time, and an empty list at the end.
  for (let some = await entriesOf(reader); some.length > 0; some = await entriesOf(reader)) {
    for (const one of some) files.push(...(await filesOfEntry(one)));
  }
  return files;
};

/** Files that were dropped, those in dropped folders too. */
export const filesOfDrop = async (transfer: DataTransfer): Promise<File[]> => {
  // Taken before the first await: the list is emptied when the event is over.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files];
  if (entries.every((entry) => entry === null)) return plain;
  const files: File[] = [];
  for (const entry of entries) if (entry !== null) files.push(...(await filesOfEntry(entry)));
  return files;
};
