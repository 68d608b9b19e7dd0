import type { McpServer, McpTool } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Checkbox, Input, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toast.tsx';
import { FLAGS, type Flag, RISKS } from '../../lib/risks.ts';
import { textOf } from '../../lib/text.ts';
import styles from './mcp.module.css';
import { useServerActions } from './queries.ts';
import { keyOf, withKey } from './schema.ts';

const APPROVALS = [
  { value: 'auto', label: 'Runs at once' },
  { value: 'pentarchy', label: 'The five vote' },
  { value: 'human', label: 'A person decides' },
] as const;

/** What one tool costs and who must agree to it. Other parts of the server's policy stay as they are. */
export const PolicyEditor = ({ server, tool }: { server: McpServer; tool: McpTool }) => {
  const { update } = useServerActions();
  const toast = useToast();
  const [flags, setFlags] = useState<readonly Flag[]>(tool.policy.flags);
  const [wrong, setWrong] = useState(false);
  const submit = (values: FormData): void => {
    const cost = textOf(values, 'cost_usd');
    const bad = cost === '' || !Number.isFinite(Number(cost)) || Number(cost) < 0;
    setWrong(bad);
    if (bad) return;
    const own = {
      cost_usd: Number(cost),
      risk: RISKS.find(({ value }) => value === values.get('risk'))?.value ?? tool.policy.risk,
      approval:
        APPROVALS.find(({ value }) => value === values.get('approval'))?.value ?? tool.policy.approval,
      flags: [...flags],
    };
    const policy = withKey(server.policy, 'tools', withKey(keyOf(server.policy, 'tools'), tool.name, own));
    update.mutate(
      { name: server.name, body: { policy } },
      { onSuccess: () => toast.done(`The policy of “${tool.name}” is saved`) },
    );
  };
  return (
    <details className={styles.details}>
      <summary>Change its policy</summary>
      <Form error={update.error} fields={[]} onSubmit={submit}>
        {() => (
          <>
            <div className={styles.pair}>
              <Input
                label="Cost of a call, US dollars"
                name="cost_usd"
                type="number"
                min={0}
                step="any"
                defaultValue={tool.policy.cost_usd}
                fault={wrong ? 'must be a number from 0' : undefined}
              />
              <Select label="Risk" name="risk" options={RISKS} defaultValue={tool.policy.risk} />
            </div>
            <Select
              label="Approval"
              name="approval"
              options={APPROVALS}
              defaultValue={tool.policy.approval}
            />
            <div className={styles.pair}>
              {FLAGS.map(({ value, label }) => (
                <Checkbox
                  key={value}
                  label={label}
                  checked={flags.includes(value)}
                  onChange={(on) => setFlags(on ? [...flags, value] : flags.filter((flag) => flag !== value))}
                />
              ))}
            </div>
            <div>
              <Button type="submit" busy={update.isPending}>
                Save policy
              </Button>
            </div>
          </>
        )}
      </Form>
    </details>
  );
};
