import { useQuery } from '@tanstack/react-query';
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useRef } from 'react';
import { ErrorState } from '../components/states.tsx';
import { useApi } from '../lib/api.ts';
import { mayOpen } from '../lib/feature.ts';
import { MeProvider } from '../lib/me.ts';
import { FEATURES } from '../routes.ts';
import { DesktopNotices } from './desktop-notices.tsx';
import { BottomBar, Rail } from './navigation.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { PaletteHost } from './palette-opener.tsx';
import { PartialBanner } from './partial-banner.tsx';
import { SessionBanner } from './session-ended.tsx';
import styles from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';
import { Splash } from './splash.tsx';

/** What stands around every page: navigation, banner, and the care for focus and title when the page changes. */
export const Shell = () => {
  const api = useApi();
  const me = useQuery({
    queryKey: ['session', 'me'],
    queryFn: ({ signal }) => api.auth.getMe({ signal }),
    staleTime: 60_000,
  });
  if (me.data === undefined) {
    if (me.error === null) return <Splash busy />;
    return (
      <main>
        <ErrorState error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  const { permissions } = me.data;
  const features = FEATURES.filter((feature) => mayOpen(feature, permissions));
  return (
    <MeProvider value={me.data}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place of this page */}
      <a href="#content" className={styles.skip} onClick={skipToContent}>
        Skip to content
      </a>
      <div className={styles.shell}>
        <Rail features={features} />
        <main id="content" tabIndex={-1} className={styles.content}>
          <SessionBanner />
          <OfflineBanner />
          <PartialBanner />
          <div className={styles.page}>
            <Outlet />
          </div>
        </main>
        <BottomBar features={features} />
      </div>
      <PageChange />
      <Shortcuts />
      <PaletteHost />
      <DesktopNotices />
    </MeProvider>
  );
};

/** By hand: the router would take the fragment for a place of its own. */
const skipToContent = (event: MouseEvent): void => {
  event.preventDefault();
  document.getElementById('content')?.focus();
};

/** After a change of page the title of the new one has the focus, so that a screen reader says where one is. */
const PageChange = () => {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const matches = useMatches();
  const title = matches.at(-1)?.staticData.title;
  const last = useRef(path);
  useEffect(() => {
    document.title = title === undefined ? 'Pentarch' : `${title} – Pentarch`;
  }, [title]);
  useEffect(() => {
    if (last.current !== undefined && last.current !== path) {
      document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true });
    }
    last.current = path;
  }, [path]);
  return null;
};
