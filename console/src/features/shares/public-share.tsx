import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { createClient, type OpenShareResult } from 'pentarch-sdk';
import { SHARE_PATH, tokenIn } from './path.ts';
import { SharedView } from './shared-view.tsx';

/**
 * What the link in the address shows without a sign-in; null where it shows nothing, or its reader has to be signed in. Asked
 * with no token of a person, whoever they are.
 */
export const openPublicShare = async (): Promise<OpenShareResult | null> => {
  const token = tokenIn(location.hash);
  if (location.pathname !== SHARE_PATH || token === '') return null;
  const client = createClient({ baseUrl: location.origin, maxRetries: 1 });
  return client.conversations.openPublicShare(token).catch(() => null);
};

export const PublicShare = ({ shared }: { shared: OpenShareResult }) => (
  <CSPProvider disableStyleElements>
    <Tooltip.Provider delay={400}>
      <SharedView shared={shared} />
    </Tooltip.Provider>
  </CSPProvider>
);
