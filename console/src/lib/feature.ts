import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';

/** What a folder of `features/` says of itself; `routes.ts` lists them all. */
export interface Feature {
  /** Folder name, and what its query keys begin with. */
  readonly id: string;
  /** In the navigation; one or two words. */
  readonly label: string;
  readonly icon: LucideIcon;
  /** Where the navigation leads. */
  readonly path: `/${string}`;
  /** Any one of these permissions shows it; none: everybody signed in. */
  readonly anyOf: readonly string[];
  /** Shown in the bottom bar of a phone, else under "More". At most four should. */
  readonly primary?: boolean;
  readonly pages: readonly FeaturePage[];
  /** What the palette (Ctrl K) offers of it beside its page. */
  readonly places?: readonly FeaturePlace[];
  /** How much there waits for the person, and what it is: "2 wait for you". */
  readonly waiting?: { readonly use: () => number; readonly words: (count: number) => string };
}

export interface FeaturePage {
  /** As TanStack Router writes it: `/agents`, `/agents/$agentId`. */
  readonly path: `/${string}`;
  /** Title of the browser's tab. */
  readonly title: string;
  /** Loaded when first opened: `() => import('./agents-page.tsx')`. */
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** A part of a page with an address of its own: a tab, a filtered list, a new conversation. */
export interface FeaturePlace {
  readonly label: string;
  readonly path: `/${string}`;
  readonly search: Readonly<Record<string, string>>;
  /** Any one of these permissions shows it; none: whoever may open the page. */
  readonly anyOf: readonly string[];
  /** Other words that people may look for. */
  readonly words?: string;
}

const holdsOne = (anyOf: readonly string[], permissions: readonly string[]): boolean =>
  anyOf.length === 0 || anyOf.some((one) => permissions.includes(one));

export const mayOpen = (feature: Feature, permissions: readonly string[]): boolean =>
  holdsOne(feature.anyOf, permissions);

export const placesOf = (feature: Feature, permissions: readonly string[]): readonly FeaturePlace[] =>
  (feature.places ?? []).filter(({ anyOf }) => holdsOne(anyOf, permissions));
