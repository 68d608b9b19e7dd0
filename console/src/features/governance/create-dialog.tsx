import type { CreateProposalRequest } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Input, Select, Textarea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toast.tsx';
import { FLAGS, type Flag, RISKS } from '../../lib/risks.ts';
import { useCreate } from './queries.ts';

export const CreateDialog = ({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) => {
  const create = useCreate();
  const toast = useToast();
  const [flags, setFlags] = useState<readonly Flag[]>([]);
  const [missing, setMissing] = useState(false);
  const submit = (values: FormData): void => {
    const cost = String(values.get('estimated_cost') ?? '').trim();
    const wrong = cost === '' || !Number.isFinite(Number(cost));
    setMissing(wrong);
    if (wrong) return;
    const risk = RISKS.find(({ value }) => value === values.get('risk'))?.value;
    const proposal: CreateProposalRequest = {
      action: String(values.get('action') ?? '').trim(),
      description: String(values.get('description') ?? '').trim(),
      estimated_cost: Number(cost),
      flags: [...flags],
      ...(risk === undefined ? {} : { risk }),
    };
    create.mutate(proposal, {
      onSuccess: (made) => {
        toast.done('The proposal is made');
        onMade(made.id);
      },
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="New proposal"
      description="Up to 100 US dollars the five seats decide; above, and with any mark below, a person does."
    >
      <Form
        error={create.error}
        fields={['action', 'description', 'estimated_cost', 'risk']}
        onSubmit={submit}
      >
        {(fault) => (
          <>
            <Input label="What is to be done" name="action" fault={fault('action')} autoComplete="off" />
            <Textarea label="Why" name="description" fault={fault('description')} />
            <Input
              label="Estimated cost, US dollars"
              name="estimated_cost"
              type="number"
              min={0}
              step="any"
              fault={missing ? 'must be a number' : fault('estimated_cost')}
            />
            <Select label="Risk" name="risk" options={RISKS} fault={fault('risk')} />
            {FLAGS.map(({ value, label }) => (
              <Checkbox
                key={value}
                label={label}
                checked={flags.includes(value)}
                onChange={(on) => setFlags(on ? [...flags, value] : flags.filter((flag) => flag !== value))}
              />
            ))}
            <div>
              <Button kind="primary" type="submit" busy={create.isPending}>
                Propose
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
};
