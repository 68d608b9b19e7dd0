import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '../../lib/api.ts';
import { faultOf, isSignedOut } from '../../lib/errors.ts';
import { forgetFiles, type KeptFile, keepFiles, keptFilesOf } from '../../lib/kept-files.ts';
import { useHasEnded, useSignedIn } from '../../lib/signed-in.ts';

/**
 * Files on their way to the server: two at a time, the others wait; one that fails does not stop the rest. Where the session ends
 * in the middle all that is left waits for a new one; after a reload it goes on by itself.
 */

export interface Upload {
  key: string;
  name: string;
  sizeBytes: number;
  state: 'waiting' | 'sending' | 'indexing' | 'background' | 'done' | 'failed';
  /** 0–1 of the bytes. */
  sent: number;
  /** In plain words, when it failed. */
  fault: string | null;
  documentId: string | null;
}

/** As far as this page is concerned. */
export const isFinished = (state: Upload['state']): boolean =>
  state === 'done' || state === 'background' || state === 'failed';

interface Job {
  key: string;
  name: string;
  file: File;
  visibility: 'private' | 'tenant';
}

const AT_ONCE = 2;
/** On their way since this page was loaded, also those of a list that is not shown any more. */
const inHand = new Set<string>();

const keptOf = ({ key, name, file, visibility }: Job): KeptFile => ({
  key,
  place: 'knowledge',
  name,
  file,
  documentId: null,
  visibility,
});

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
  const isShown = useRef(true);

  const change = useCallback((key: string, next: Partial<Upload>) => {
    setUploads((list) => list.map((one) => (one.key === key ? { ...one, ...next } : one)));
  }, []);

  /** Nobody is here who would go on with these: the next list takes them from where they are kept. */
  const letGo = useCallback(() => {
    if (signedIn.ended()) for (const { key } of waiting.current.splice(0)) inHand.delete(key);
    for (const key of failed.current.keys()) inHand.delete(key);
  }, [signedIn]);

  const next = useCallback(() => {
    if (running.current >= AT_ONCE) return;
    if (signedIn.ended()) {
      if (!isShown.current) letGo();
      return;
    }
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
        (document) => {
          // What is still read then is shown below: it goes on without this page.
          const state = document.status === 'processing' ? 'background' : 'done';
          change(job.key, { state, sent: 1, documentId: document.id });
          void queryClient.invalidateQueries({ queryKey: ['knowledge', 'reading'] });
          void forgetFiles([job.key]);
        },
        (error: unknown) => {
          if (isSignedOut(error)) {
            signedIn.end(error);
            waiting.current.unshift(job);
            change(job.key, { state: 'waiting', sent: 0 });
            return;
          }
          failed.current.set(job.key, job);
          if (!isShown.current) letGo();
          change(job.key, { state: 'failed', fault: faultOf(error).message });
        },
      )
      .finally(() => {
        running.current -= 1;
        void queryClient.invalidateQueries({ queryKey: ['knowledge', 'documents'] });
        next();
      });
    next();
  }, [api, change, letGo, queryClient, signedIn]);
  useEffect(() => {
    if (!ended) next();
  }, [ended, next]);

  const show = useCallback((jobs: readonly Job[]) => {
    for (const { key } of jobs) inHand.add(key);
    setUploads((list) => [
      ...list,
      ...jobs.map(
        ({ key, name, file }): Upload => ({
          key,
          name,
          sizeBytes: file.size,
          state: 'waiting',
          sent: 0,
          fault: null,
          documentId: null,
        }),
      ),
    ]);
  }, []);
  const begin = useCallback(
    (jobs: readonly Job[]) => {
      waiting.current.push(...jobs);
      next();
    },
    [next],
  );
  const add = useCallback(
    (files: readonly File[], visibility: 'private' | 'tenant') => {
      const jobs = files.map((file) => ({
        key: crypto.randomUUID(),
        name: file.webkitRelativePath || file.name,
        file,
        visibility,
      }));
      show(jobs);
      void keepFiles(jobs.map(keptOf)).then(() => begin(jobs));
    },
    [show, begin],
  );
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      letGo();
    };
  }, [letGo]);
  // What a reload has interrupted.
  useEffect(() => {
    void keptFilesOf('knowledge').then((kept) => {
      const jobs = kept.flatMap(({ key, name, file, visibility }) =>
        file === null || inHand.has(key) ? [] : [{ key, name, file, visibility: visibility ?? 'private' }],
      );
      if (jobs.length === 0) return;
      show(jobs);
      begin(jobs);
    });
  }, [show, begin]);
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
    void forgetFiles([...failed.current.keys()]);
    failed.current.clear();
    setUploads((list) => list.filter(({ state }) => !isFinished(state)));
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
