import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';

const SHOWN_MS = 1_500;

export const CopyButton = ({ text, label = 'Copy' }: { text: string; label?: string }) => {
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
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => setCopied(false),
        );
      }}
    />
  );
};
