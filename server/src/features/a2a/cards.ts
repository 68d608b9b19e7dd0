import { A2A_PROTOCOL_VERSION, AgentCard } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';

/** Agent cards: what a client of the A2A protocol reads before it speaks (specification 1.0, section 8; 0.3, section 5). */
export interface CardAgent {
  id: string;
  name: string;
  domain: string;
  charter: string;
  examples: readonly string[];
}

export const A2A_PATH = '/a2a';
const BINDING = 'JSONRPC';
const MODES = ['text/plain', 'application/json'];
const EXAMPLES = 5;

const skillOf = (agent: CardAgent) => ({
  id: agent.id,
  name: agent.name,
  description: agent.charter,
  tags: [agent.domain],
  examples: agent.examples.slice(0, EXAMPLES),
  inputModes: MODES,
  outputModes: ['text/plain'],
  securityRequirements: [],
});

export interface CardOptions {
  publicUrl: string;
  /** Issuer of the tokens. */
  issuer: string;
  version: string;
  agents: readonly CardAgent[];
}

/** The card of one agent; of the whole network for null. */
export const cardOf = (options: CardOptions, agent: CardAgent | null): AgentCard => {
  const url = `${options.publicUrl}${A2A_PATH}${agent === null ? '' : `/${agent.id}`}`;
  const scheme = (description: string) => ({
    scheme: {
      $case: 'httpAuthSecurityScheme' as const,
      value: { description, scheme: 'bearer', bearerFormat: '' },
    },
  });
  return {
    name: agent === null ? 'Pentarch' : `${agent.name} of Pentarch`,
    description:
      agent === null
        ? `A network of ${options.agents.length} agents; the one that fits answers. Each has a card of its own under ${A2A_PATH}/<agent>/.well-known/agent-card.json.`
        : agent.charter,
    supportedInterfaces: [A2A_PROTOCOL_VERSION, A2A_LEGACY_PROTOCOL_VERSION].map((protocolVersion) => ({
      url,
      protocolBinding: BINDING,
      tenant: '',
      protocolVersion,
    })),
    provider: { url: options.publicUrl, organization: 'Pentarch' },
    version: options.version,
    documentationUrl: `${options.publicUrl}/docs`,
    capabilities: { streaming: true, pushNotifications: true, extensions: [], extendedAgentCard: false },
    securitySchemes: {
      bearer: scheme('An access token, a personal access token or an API key of the platform'),
      openid: {
        scheme: {
          $case: 'openIdConnectSecurityScheme',
          value: {
            description: 'Where access tokens come from',
            openIdConnectUrl: `${options.issuer}/.well-known/openid-configuration`,
          },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: ['text/plain'],
    skills: (agent === null ? options.agents : [agent]).map(skillOf),
    signatures: [],
  };
};

export const cardJson = (card: AgentCard): Record<string, unknown> => ({
  ...(AgentCard.toJSON(card) as Record<string, unknown>),
});

/** The same for clients of 0.3, who send no A2A-Version; those of 1.0 find their interfaces in it, too. */
export const legacyCardJson = (card: AgentCard, issuer: string): Record<string, unknown> => ({
  protocolVersion: '0.3.0',
  name: card.name,
  description: card.description,
  url: card.supportedInterfaces[0]?.url,
  preferredTransport: BINDING,
  additionalInterfaces: [{ url: card.supportedInterfaces[0]?.url, transport: BINDING }],
  provider: card.provider,
  version: card.version,
  documentationUrl: card.documentationUrl,
  capabilities: { streaming: true, pushNotifications: true, stateTransitionHistory: false },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer' },
    openid: { type: 'openIdConnect', openIdConnectUrl: `${issuer}/.well-known/openid-configuration` },
  },
  security: [{ bearer: [] }],
  defaultInputModes: card.defaultInputModes,
  defaultOutputModes: card.defaultOutputModes,
  skills: card.skills.map(({ securityRequirements: _none, ...skill }) => skill),
  supportsAuthenticatedExtendedCard: false,
  supportedInterfaces: card.supportedInterfaces,
});
