/**
 * The permissions of a key: `read` to read everything of its organisation, `write` to change it, `users` to manage
 * users and their keys, and `gateway` for gateways, which fetch deployments and send reports.
 */
export const permissions = ["read", "write", "users", "gateway"] as const;
export type Permission = (typeof permissions)[number];
