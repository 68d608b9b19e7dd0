/**
 * The order in which texts are embedded. Inference is one text at a time (batches gain nothing on a CPU), so
 * fairness is decided between texts: urgent requests first, and among equals each request gets one text in turn,
 * so that neither a query nor a small document waits for a book.
 */
export interface TextRequest {
  id: number;
  texts: readonly string[];
  urgent: boolean;
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

export function createTextQueue(): TextQueue {
  let urgent: Progress[] = [];
  let patient: Progress[] = [];
  return {
    add(request) {
      (request.urgent ? urgent : patient).push({ ...request, next: 0 });
    },
    cancel(id) {
      urgent = urgent.filter((r) => r.id !== id);
      patient = patient.filter((r) => r.id !== id);
    },
    clear() {
      urgent = [];
      patient = [];
    },
    take() {
      const line = urgent.length > 0 ? urgent : patient;
      const request = line.shift();
      if (!request) return null;
      const index = request.next++;
      const last = request.next >= request.texts.length;
      if (!last) line.push(request);
      return { id: request.id, index, text: request.texts[index] ?? '', last };
    },
  };
}
