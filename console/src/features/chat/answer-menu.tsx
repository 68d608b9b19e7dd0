import { Ellipsis, Split } from 'lucide-react';
import type { AgentStatus, Model, RegenerateMessageRequest } from 'pentarch-sdk';
import { IconButton } from '../../components/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/menu.tsx';
import { modelName } from './limits.ts';

export interface Choices {
  agents: readonly AgentStatus[];
  models: readonly Model[];
}

interface AnswerMenuProps {
  choices: Choices;
  /** null: no other answer can be asked for just now. */
  onAgain: ((by: RegenerateMessageRequest) => void) | null;
  onFork: (() => void) | null;
}

/** What is done with an answer less often: another agent or model answers, or it is gone on from in a new conversation. */
export const AnswerMenu = ({ choices: { agents, models }, onAgain, onFork }: AnswerMenuProps) => {
  if (onAgain === null && onFork === null) return null;
  return (
    <Menu trigger={<IconButton label="More for this answer" icon={<Ellipsis size={14} />} />}>
      {onFork !== null && (
        <MenuItem icon={<Split size={14} />} onSelect={onFork}>
          Continue in a new chat
        </MenuItem>
      )}
      {onAgain !== null && models.length > 1 && (
        <>
          <MenuSeparator />
          <MenuLabel>Ask again with the model</MenuLabel>
          {models.map((one) => (
            <MenuItem key={one.id} onSelect={() => onAgain({ model: one.id })}>
              {modelName(one)}
            </MenuItem>
          ))}
        </>
      )}
      {onAgain !== null && agents.length > 0 && (
        <>
          <MenuSeparator />
          <MenuLabel>Ask again, answered by</MenuLabel>
          {agents
            .filter((one) => one.enabled)
            .map((one) => (
              <MenuItem key={one.id} onSelect={() => onAgain({ agent_id: one.id })}>
                {one.name}
              </MenuItem>
            ))}
        </>
      )}
    </Menu>
  );
};
