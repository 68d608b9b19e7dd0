import { createRootRoute, createRoute, createRouter, Navigate } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import type { Feature, FeaturePage } from '../lib/feature.ts';
import { mayOpen } from '../lib/feature.ts';
import { useMe } from '../lib/me.ts';
import { FEATURES } from '../routes.ts';
import { ForbiddenPage, NotFoundPage, PageFault } from './faults.tsx';
import { PageSkeleton } from './page-skeleton.tsx';
import { Shell } from './shell.tsx';

/** Routes made from `FEATURES`: each page loads when first opened, has its own error boundary, and is closed to who may not. */

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: PageFault,
});

const Guarded = ({ feature, page: Page }: { feature: Feature; page: ComponentType }) => {
  const { permissions } = useMe();
  if (!mayOpen(feature, permissions)) return <ForbiddenPage needs={feature.anyOf} />;
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Page />
    </Suspense>
  );
};

const pageRoute = (feature: Feature, page: FeaturePage) => {
  const loaded = lazy(page.load);
  return createRoute({
    getParentRoute: () => root,
    path: page.path,
    component: () => <Guarded feature={feature} page={loaded} />,
    // So that hovering a link already loads the page behind it.
    loader: async () => void (await page.load()),
    staticData: { title: page.title },
    pendingComponent: PageSkeleton,
    errorComponent: PageFault,
  });
};

/** `/` is the first feature that the person may open. */
const Home = () => {
  const { permissions } = useMe();
  const first = FEATURES.find((feature) => mayOpen(feature, permissions));
  return first === undefined ? <ForbiddenPage needs={[]} /> : <Navigate to={first.path} replace />;
};

export const newRouter = () =>
  createRouter({
    routeTree: root.addChildren([
      createRoute({ getParentRoute: () => root, path: '/', component: Home }),
      ...FEATURES.flatMap((feature) => feature.pages.map((page) => pageRoute(feature, page))),
    ]),
    defaultPreload: 'intent',
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Of the browser's tab. */
    title?: string;
  }
}
