import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './surface.module.css';

/** Apart from surface.tsx, which the frame loads: Tabs come with the pages that have them. */
interface TabsProps {
  value: string;
  onChange: (value: string) => void;
  tabs: readonly { value: string; label: string; content: ReactNode }[];
}

/** Keep the chosen one in the address (useUrlState). */
export const Tabs = ({ value, onChange, tabs }: TabsProps) => (
  <BaseTabs.Root value={value} onValueChange={(next: unknown) => onChange(String(next))}>
    <BaseTabs.List className={styles.tabs}>
      {tabs.map((tab) => (
        <BaseTabs.Tab key={tab.value} value={tab.value} className={styles.tab}>
          {tab.label}
        </BaseTabs.Tab>
      ))}
    </BaseTabs.List>
    {tabs.map((tab) => (
      <BaseTabs.Panel key={tab.value} value={tab.value} className={styles.tabPanel}>
        {tab.content}
      </BaseTabs.Panel>
    ))}
  </BaseTabs.Root>
);
