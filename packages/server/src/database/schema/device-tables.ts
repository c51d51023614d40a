/** The tables of devices: those that keys are bound to, and those that run without a key. */
import { nullable, number, type TableOf, text, withDefault } from './columns.ts'

/** How many components of a device must be those of a bound one; `features/devices/recognition.ts` says what each means. */
export type DeviceRule = 'strict' | 'tolerant'

/** Devices that a key is bound to; what tells one from others is in `user_fingerprints`. */
const userDevices = {
  project_id: text,
  user_key: text,
  /** Unique for a user. */
  id: text,
  /** What the user calls it. */
  name: nullable(text),
  /** JSON of the three masked parts, made when it was bound. */
  display: nullable(text),
  /** Null where it was bound before this was stored. */
  bound_at: nullable(number),
  /** To the hour, but of all devices of a user the latest is always the one used last. */
  last_used_at: nullable(number),
  /** When it last took over a strong component. */
  learned_at: nullable(number),
}
export type UserDevicesTable = TableOf<typeof userDevices>

const userFingerprints = {
  user_key: text,
  project_id: text,
  /** Its name; one that another device of the user shares is followed by `@` and the device. */
  component: text,
  strength: number,
  /** Hex. */
  hash: text,
  /** Its `id` in `user_devices`. */
  device: withDefault(text),
}
export type UserFingerprintsTable = TableOf<typeof userFingerprints>

/** Devices that ran a free-for-all script without a key; each counts once in a project. */
const ffaDevices = {
  customer_id: text,
  project_id: text,
  device: text,
  /** The script that the device ran first; null after that script was deleted. */
  script_id: nullable(text),
  first_seen: number,
}
export type FfaDevicesTable = TableOf<typeof ffaDevices>

export const deviceTables = {
  user_devices: userDevices,
  user_fingerprints: userFingerprints,
  ffa_devices: ffaDevices,
}
