import type { Credential, Ec2Settings } from '../core/state.ts';

/** Changes of the settings: what is absent stays. */
export type SettingsPatch = Partial<Omit<Ec2Settings, 'buckets' | 'visibility' | 'credentials'>> & {
  readonly buckets?: Partial<Ec2Settings['buckets']>;
  readonly visibility?: Partial<Ec2Settings['visibility']>;
  /** By access key id. */
  readonly credentials?: Readonly<Record<string, Partial<Credential>>>;
};

/** Settings with the changes made. @throws Error for a name that is no setting */
export function patchSettings(settings: Ec2Settings, patch: SettingsPatch): Ec2Settings {
  const unknown = Object.keys(patch).find((name) => !Object.hasOwn(settings, name));
  if (unknown !== undefined)
    throw new Error(`'${unknown}' is no setting of the emulator: use one of ${Object.keys(settings).join(', ')}`);
  const credentials = Object.entries(patch.credentials ?? {}).map(([key, change]) => {
    const credential: Credential = { status: 'valid', deniedActions: [], ...settings.credentials[key], ...change };
    return [key, credential] as const;
  });
  return {
    ...settings,
    ...patch,
    buckets: { ...settings.buckets, ...patch.buckets },
    visibility: { ...settings.visibility, ...patch.visibility },
    credentials: { ...settings.credentials, ...Object.fromEntries(credentials) },
  };
}
