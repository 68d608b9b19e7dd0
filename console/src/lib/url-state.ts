import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * State that belongs into the address (filters, the open record, a tab), so that it survives reload and can be sent to
 * somebody. `parse` turns what stands there, which anybody may have written, into valid state.
 *
 * const [{ window }, setState] = useUrlState(parseWindow);
 * setState({ window: '7d' });             // undefined removes a key
 */
export const useUrlState = <T extends object>(
  parse: (raw: Readonly<Record<string, unknown>>) => T,
): [T, (change: Partial<Record<keyof T, string | number | boolean | undefined>>) => void] => {
  const raw: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback(
    (change: Partial<Record<keyof T, string | number | boolean | undefined>>) => {
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, ...change }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [parse(raw), set];
};

/** A parameter of the path; '' when the page has none of that name. */
export const usePathParam = (name: string): string => {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  return params[name] ?? '';
};
