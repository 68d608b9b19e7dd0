import { Link2Off } from 'lucide-react';
import { NotFoundError } from 'pentarch-sdk';
import { useState } from 'react';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { tokenIn } from './path.ts';
import { useSharedConversation } from './queries.ts';
import { SharedView } from './shared-view.tsx';

/** For people who are signed in; whoever is not gets `PublicShare`. */
const SharedPage = () => {
  const [token] = useState(() => tokenIn(location.hash));
  const shared = useSharedConversation(token);
  if (shared.data !== undefined) return <SharedView shared={shared.data} />;
  if (shared.error === null) return <Skeleton height="10rem" />;
  if (shared.error instanceof NotFoundError)
    return (
      <EmptyState icon={Link2Off} title="There is nothing to read here">
        The link may have ended, or it is for people of another organisation.
      </EmptyState>
    );
  return <ErrorState error={shared.error} onRetry={() => void shared.refetch()} />;
};

export default SharedPage;
