/** A user's devices, each of which can be named and removed. */
import { useState } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { exactly, when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { DeniedDevices } from './denied-devices.tsx'
import { DeviceName, DeviceRemoval } from './device-dialogs.tsx'
import { nameOfDevice } from './device-name.ts'
import { useDevices } from './record/queries.ts'
import type { Device, User } from './user.ts'
import styles from './users.module.css'

const TONES: Readonly<Record<string, Tone>> = { strong: 'good', medium: 'warn', weak: 'plain' }
const WRITE = 'users:write'

export function Devices({ user, onReset }: { user: User; onReset: () => void }) {
  const t = text.users
  const query = useDevices(user)
  const devices = query.data ?? []
  return (
    <>
      <QueryBoundary query={query}>
        {devices.length === 0 ? (
          <p>{t.noDevice}</p>
        ) : (
          <ul className={styles.sessions}>
            {devices.map((device) => (
              <OneDevice key={device.id} user={user} device={device} />
            ))}
          </ul>
        )}
        <Resets user={user} onReset={onReset} />
      </QueryBoundary>
      <DeniedDevices user={user} devices={devices} />
    </>
  )
}

function OneDevice({ user, device }: { user: User; device: Device }) {
  const [open, setOpen] = useState<'name' | 'remove' | null>(null)
  const words = text.devices
  const name = nameOfDevice(device)
  const close = () => setOpen(null)
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <Facts device={device} />
      <Components device={device} />
      <div className="bar">
        <GuardedButton needs={WRITE} onClick={() => setOpen('name')}>
          {words.rename}
        </GuardedButton>
        <GuardedButton
          needs={WRITE}
          className="danger"
          aria-label={words.removeOf(name)}
          onClick={() => setOpen('remove')}
        >
          {words.remove}
        </GuardedButton>
      </div>
      {open === 'name' && <DeviceName user={user} device={device} onClose={close} />}
      {open === 'remove' && <DeviceRemoval user={user} device={device} onClose={close} />}
    </li>
  )
}

function Facts({ device }: { device: Device }) {
  const t = text.users
  const words = text.devices
  return (
    <dl className="facts-list">
      <dt>{t.address}</dt>
      <dd>{device.ip ?? t.unknown}</dd>
      <dt>{t.executor}</dt>
      <dd>{device.executor ?? t.unknown}</dd>
      <dt>{words.bound}</dt>
      <dd>{device.bound_at === null ? words.longAgo : <Time at={device.bound_at} />}</dd>
      <dt>{words.used}</dt>
      <dd>{device.last_used_at === null ? words.never : <Time at={device.last_used_at} />}</dd>
    </dl>
  )
}

function Components({ device }: { device: Device }) {
  const t = text.users
  return (
    <section
      className={`${styles.scroll} ${styles.components}`}
      aria-label={`${nameOfDevice(device)}: ${t.components}`}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{t.component}</th>
            <th scope="col">{t.strength}</th>
            <th scope="col">{t.value}</th>
          </tr>
        </thead>
        <tbody>
          {device.components.map(({ component, strength, hash }) => (
            <tr key={component}>
              <td>{component}</td>
              <td>
                <Badge tone={TONES[strength] ?? 'plain'}>{t.strengths[strength]}</Badge>
              </td>
              <td>
                <code>{hash}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Resets({ user, onReset }: { user: User; onReset: () => void }) {
  const t = text.users
  const { allow_fingerprint_resets, fingerprint_reset_cooldown } = useProject()
  const next = user.last_reset + fingerprint_reset_cooldown
  return (
    <>
      <p className="hint">
        {t.resets(user.total_fingerprint_resets)}
        {user.last_reset !== 0 && ` ${t.lastResetAt(exactly(user.last_reset))}`}{' '}
        {!allow_fingerprint_resets && t.resetsOff}
        {allow_fingerprint_resets && user.last_reset !== 0 && next > Date.now() && t.cooldown(when(next))}
      </p>
      <div className="bar">
        <GuardedButton needs={WRITE} disabled={!user.fingerprint_assigned} onClick={onReset}>
          {t.changes.reset.action}
        </GuardedButton>
      </div>
    </>
  )
}
