import type { Campaign } from "./campaign.ts";

/** Every campaign by name, in the order in which `npm run review` takes turns. */
export const campaigns: Readonly<Record<string, () => Promise<Campaign>>> = {
  injection: async () => (await import("./injection/campaign.ts")).injection,
  "who-may-call": async () => (await import("./who-may-call/campaign.ts")).whoMayCall,
  "two-organisations": async () => (await import("./two-organisations/campaign.ts")).twoOrganisations,
  "two-users": async () => (await import("./two-users.ts")).twoUsers,
  growth: async () => (await import("./growth/growth.ts")).growthCampaign(),
  states: async () => (await import("./states/campaign.ts")).states,
  descriptions: async () => (await import("./descriptions.ts")).descriptions,
  headers: async () => (await import("./headers/campaign.ts")).headers,
  "broker-headers": async () => (await import("./headers/broker-campaign.ts")).brokerHeaders,
  "builds-start": async () => (await import("./builds-start/campaign.ts")).buildsStart(),
  "request-variables": async () => (await import("./request-variables/campaign.ts")).requestVariables(),
  protections: async () => (await import("./protections.ts")).protectionsCampaign,
  secrets: async () => (await import("./secrets/campaign.ts")).secrets,
  refusals: async () => (await import("./secrets/refusals-campaign.ts")).refusals,
};
