/** The part of the environment the API and sign-in read. */
export interface BackendSettings {
  databaseUrl: string;
  home: string;
  authSecret: string;
  maxUploadBytes: number;
  /** How people reach the portal, where it cannot be told from the request. */
  publicUrl?: string;
  oidc?: OidcSettings;
}

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What the sign-in button says. */
  name: string;
}

const megabyte = 1024 * 1024;
const defaultMaxUploadMegabytes = 2048;

export function readBackendSettings(environment: NodeJS.ProcessEnv): BackendSettings {
  return {
    databaseUrl: required(environment, "DATABASE_URL"),
    home: required(environment, "GRIDLOOM_HOME"),
    authSecret: required(environment, "GRIDLOOM_AUTH_SECRET"),
    maxUploadBytes: readMegabytes(environment.GRIDLOOM_MAX_UPLOAD_MB) * megabyte,
    publicUrl: readPublicUrl(environment.GRIDLOOM_URL),
    oidc: readOidc(environment),
  };
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (!value) throw new Error(`${name} is not set: the web server is started by npm start.`);
  return value;
}

function readMegabytes(text: string | undefined): number {
  if (!text) return defaultMaxUploadMegabytes;
  const value = Number(text);
  if (!(value > 0)) throw new Error(`GRIDLOOM_MAX_UPLOAD_MB must be a number of megabytes, not “${text}”.`);
  return value;
}

/** An address of this machine only is no way for others to reach it: then the request's own host counts. */
export function readPublicUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!URL.canParse(text)) throw new Error(`GRIDLOOM_URL is not a URL: “${text}”.`);
  const { hostname } = new URL(text);
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(hostname) ? undefined : text;
}

function readOidc(environment: NodeJS.ProcessEnv): OidcSettings | undefined {
  const issuer = environment.GRIDLOOM_OIDC_ISSUER;
  const clientId = environment.GRIDLOOM_OIDC_CLIENT_ID;
  const clientSecret = environment.GRIDLOOM_OIDC_CLIENT_SECRET;
  if (!issuer && !clientId && !clientSecret) return undefined;
  if (!issuer || !clientId || !clientSecret) {
    throw new Error(
      "Single sign-on needs all of GRIDLOOM_OIDC_ISSUER, GRIDLOOM_OIDC_CLIENT_ID and GRIDLOOM_OIDC_CLIENT_SECRET.",
    );
  }
  return { issuer, clientId, clientSecret, name: environment.GRIDLOOM_OIDC_NAME || new URL(issuer).host };
}
