/** Tables for devices: those that keys are bound to, and those that run scripts without a key. */
import { nullable, number, type TableOf, text, withDefault } from './columns.ts'

/**
 * The rule for how many components must match those of a bound device. See
 * `features/devices/recognition.ts`.
 */
export type DeviceRule = 'strict' | 'tolerant'

/** Bound devices. Their components are in `user_fingerprints`. */
const userDevices = {
  project_id: text,
  user_key: text,
  /** Unique per user. */
  id: text,
  /** Name chosen by the user. */
  name: nullable(text),
  /** JSON: the three masked components, created when the device was bound. */
  display: nullable(text),
  /** Null for devices bound before this value was stored. */
  bound_at: nullable(number),
  /** Rounded to the hour, but a user's most recently used device always has the latest value. */
  last_used_at: nullable(number),
  /** When the device last adopted a new strong component. */
  learned_at: nullable(number),
}
export type UserDevicesTable = TableOf<typeof userDevices>

const userFingerprints = {
  user_key: text,
  project_id: text,
  /** Component name, followed by `@` and the device if another of the user's devices shares the component. */
  component: text,
  strength: number,
  /** Hex. */
  hash: text,
  /** The device's `id` in `user_devices`. */
  device: withDefault(text),
}
export type UserFingerprintsTable = TableOf<typeof userFingerprints>

/** Devices that ran a free-for-all script without a key. Each is counted once per project. */
const ffaDevices = {
  customer_id: text,
  project_id: text,
  device: text,
  /** The first script that the device ran; null after that script is deleted. */
  script_id: nullable(text),
  first_seen: number,
}
export type FfaDevicesTable = TableOf<typeof ffaDevices>

export const deviceTables = {
  user_devices: userDevices,
  user_fingerprints: userFingerprints,
  ffa_devices: ffaDevices,
}
