/**
 * What a key may do: `read` looks at everything of its organisation; `write` changes it; `users` gives and takes keys;
 * `gateway` is for gateways, which fetch deployments and report.
 */
export const permissions = ["read", "write", "users", "gateway"] as const;
export type Permission = (typeof permissions)[number];
