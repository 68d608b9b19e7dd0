/**
 * The order in which texts are embedded. Inference is one text at a time (batches gain nothing on a CPU), so
 * fairness is decided between texts: urgent requests first, then each owner gets one text in turn, and of an owner each
 * request. Neither a query nor a small document waits for a book, nor one tenant for a hundred files of another.
 */
export interface TextRequest {
  id: number;
  texts: readonly string[];
  urgent: boolean;
  owner: string;
}

interface Progress extends TextRequest {
  next: number;
}

export interface TextQueue {
  add(request: TextRequest): void;
  cancel(id: number): void;
  clear(): void;
  /** The next text to embed, or null when there is none. */
  take(): { id: number; index: number; text: string; last: boolean } | null;
}

/** In the order of the owners' next turns: a map keeps the order in which its keys were set. */
type Line = Map<string, Progress[]>;

export function createTextQueue(): TextQueue {
  const urgent: Line = new Map();
  const patient: Line = new Map();
  return {
    add(request) {
      const line = request.urgent ? urgent : patient;
      const own = line.get(request.owner) ?? [];
      own.push({ ...request, next: 0 });
      line.set(request.owner, own);
    },
    cancel(id) {
      for (const line of [urgent, patient]) {
        for (const [owner, requests] of line) {
          const left = requests.filter((r) => r.id !== id);
          if (left.length === 0) line.delete(owner);
          else line.set(owner, left);
        }
      }
    },
    clear() {
      urgent.clear();
      patient.clear();
    },
    take() {
      const line = urgent.size > 0 ? urgent : patient;
      const [first] = line;
      const request = first?.[1].shift();
      if (first === undefined || request === undefined) return null;
      const [owner, requests] = first;
      const index = request.next++;
      const last = request.next >= request.texts.length;
      if (!last) requests.push(request);
      line.delete(owner);
      if (requests.length > 0) line.set(owner, requests);
      return { id: request.id, index, text: request.texts[index] ?? '', last };
    },
  };
}
