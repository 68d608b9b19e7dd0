import type { ModelMessage } from '../../kernel/model.ts';
import { withPictureNotes } from '../../kernel/picture.ts';
import type { ModelCall } from './call.ts';
import { sendable } from './sendable.rules.ts';

/** Pictures of turns before the message, which need not be looked at: a call goes on with their names. */

/** With notes in place of the pictures of earlier turns. Comes back as it is where there are none. */
export const earlierAsWords = (messages: ModelMessage[]): ModelMessage[] => {
  const isEarlier = (message: ModelMessage): boolean =>
    message.role === 'user' && (message.pictures ?? []).some(({ earlier }) => earlier === true);
  if (!messages.some(isEarlier)) return messages;
  return messages.map((message) => {
    if (message.role !== 'user' || !isEarlier(message)) return message;
    const { pictures = [], content, ...rest } = message;
    const own = pictures.filter(({ earlier }) => earlier !== true);
    const told = withPictureNotes(
      content,
      pictures.filter(({ earlier }) => earlier === true),
    );
    return { ...rest, content: told, ...(own.length === 0 ? {} : { pictures: own }) };
  });
};

/** What is sent to one model, with the pictures of earlier turns or with their names. */
export const sendableTo = ({ messages, tools }: Pick<ModelCall, 'messages' | 'tools'>, sees: boolean) => {
  const words = earlierAsWords(messages);
  const hasEarlier = words !== messages;
  let inWords = hasEarlier && !sees;
  let sent = sendable(inWords ? words : messages, tools);
  return {
    messages: (): ModelMessage[] => sent,
    /** False: there are none, or they are left out already. */
    leaveOutPictures(): boolean {
      if (!hasEarlier || inWords) return false;
      inWords = true;
      sent = sendable(words, tools);
      return true;
    },
  };
};
