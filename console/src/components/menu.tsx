import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import styles from './float.module.css';

/**
 * <Menu trigger={<IconButton label="More" icon={<Ellipsis />} />}>
 *   <MenuItem onSelect={rename}>Rename</MenuItem>
 *   <MenuItem danger onSelect={askDelete}>Delete …</MenuItem>
 * </Menu>
 */
export const Menu = ({ trigger, children }: { trigger: ReactElement; children: ReactNode }) => (
  <Base.Root modal={false}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={6} align="end" className={styles.positioner}>
        <Base.Popup className={styles.menu}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

interface MenuItemProps {
  onSelect: () => void;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

export const MenuItem = ({ onSelect, icon, danger = false, disabled = false, children }: MenuItemProps) => (
  <Base.Item
    className={`${styles.item} ${danger ? styles.danger : ''}`}
    disabled={disabled}
    onClick={onSelect}
  >
    {icon}
    {children}
  </Base.Item>
);

export const MenuSeparator = () => <Base.Separator className={styles.separator} />;

interface MenuChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string; icon?: ReactNode }[];
  onChange: (value: T) => void;
}

/** One of several, such as the theme. */
export const MenuChoice = <T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) => (
  <Base.Group>
    <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
    <Base.RadioGroup value={value} onValueChange={onChange}>
      {options.map((option) => (
        <Base.RadioItem key={option.value} value={option.value} className={styles.item} closeOnClick>
          {option.icon}
          {option.label}
          <Base.RadioItemIndicator className={styles.check} render={<Check size={14} />} />
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Base.Group>
);

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <div className={styles.label}>{children}</div>
);
