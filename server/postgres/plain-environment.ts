/** PostgreSQL's programs get nothing of our environment: no PG* variables, no secrets. */
export const plainEnvironment: NodeJS.ProcessEnv = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
  NODE_ENV: "production",
};
