import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OidcEngine, OidcInteraction } from '../../../kernel/oidc.ts';
import type { Principal } from '../principal.ts';
import type { Families } from '../sessions/families.ts';
import type { Origin } from '../sessions/types.ts';
import { parseForm } from './form.ts';
import { OAuthError } from './oauth-error.ts';

export interface InteractionOptions {
  engine: OidcEngine<IncomingMessage, ServerResponse>;
  csrf: { tokenOf(subject: string): string; check(subject: string, given: string | undefined): void };
  families: Families;
  /** Null for a wrong password. Throws RATE_LIMITED and FORBIDDEN. */
  checkPassword(email: string, password: string, origin: Origin): Promise<Principal | null>;
  findPrincipal(userId: string): Promise<Principal | undefined>;
  /** Links to a new password can be sent by mail. */
  mailsLinks: boolean;
  /** The tenant whose people may use the client; null for everybody. */
  tenantOfClient(clientId: string): Promise<string | null>;
}

/** A request on a path of one interaction. */
export interface WithUid {
  Params: { uid: string };
}

export const OTHER_ORGANISATION = 'This application belongs to another organisation than your account.';

/** Which interaction a request is about, and who may take part in it. */
export const createInteractionAccess = ({
  engine,
  csrf,
  tenantOfClient,
}: Pick<InteractionOptions, 'engine' | 'csrf' | 'tenantOfClient'>) => {
  /** The interaction of this path, of this browser. */
  const load = async (request: FastifyRequest<WithUid>, reply: FastifyReply) => {
    const interaction = await engine.interaction(request.raw, reply.raw);
    if (interaction === null || interaction.uid !== request.params.uid) {
      throw new OAuthError(
        'invalid_request',
        'this sign-in has expired; go back to the application and start again',
      );
    }
    return interaction;
  };

  /** A client that one tenant has registered cannot ask people of another for their rights. */
  const mayUse = async (interaction: OidcInteraction, principal: Principal): Promise<boolean> => {
    const tenantId = await tenantOfClient(interaction.client.id);
    return tenantId === null || tenantId === principal.tenantId;
  };

  /** Every form: its interaction, its fields, and proof that our page sent it. */
  const submitted = async (request: FastifyRequest<WithUid>, reply: FastifyReply) => {
    const form = parseForm(request.body);
    const interaction = await load(request, reply);
    csrf.check(interaction.uid, form.get('csrf'));
    return { form, interaction };
  };

  return { load, mayUse, submitted };
};

export type InteractionAccess = ReturnType<typeof createInteractionAccess>;
