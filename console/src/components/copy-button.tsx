import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';

const SHOWN_MS = 1_500;

interface CopyButtonProps {
  /** Or what reads it when it is wanted. */
  text: string | (() => string);
  label?: string;
}

export const CopyButton = ({ text, label = 'Copy' }: CopyButtonProps) => {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      label={copied ? 'Copied' : label}
      icon={copied ? <Check size={14} /> : <Copy size={14} />}
      onClick={() => {
        navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
          () => setCopied(true),
          () => setCopied(false),
        );
      }}
    />
  );
};
