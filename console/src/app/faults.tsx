import { Link } from '@tanstack/react-router';
import { Compass, Lock } from 'lucide-react';
import { buttonClass } from '../components/button.tsx';
import { EmptyState } from '../components/states.tsx';
import { PageHead } from '../components/surface.tsx';

const home = (
  <Link to="/" className={buttonClass('normal')}>
    To the start
  </Link>
);

export const NotFoundPage = () => (
  <>
    <PageHead title="Page not found" />
    <EmptyState icon={Compass} title="Nothing is at this address" action={home}>
      It may have moved, or the address is not complete. The navigation leads to everything that you may open.
    </EmptyState>
  </>
);

export const ForbiddenPage = ({ needs }: { needs: readonly string[] }) => (
  <>
    <PageHead title="No access" />
    <EmptyState icon={Lock} title="You have no right to this page" action={home}>
      {needs.length === 0
        ? 'Your account has no permissions. Ask an admin of your organisation for a role.'
        : `It needs the permission ${needs.join(' or ')}. Ask an admin of your organisation.`}
    </EmptyState>
  </>
);
