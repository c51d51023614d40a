/** Devices on which the key was recently denied, with actions to allow or block each device. */
import { useState } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { titleOf } from '../../lib/denials.ts'
import { exactly, when } from '../../lib/when.ts'
import { recordText } from '../../messages/en/user-record.ts'
import { text } from '../../messages/text.ts'
import { NewBan } from '../bans/new-ban.tsx'
import { AllowDevice } from './allow-device.tsx'
import { type DeniedDevice, deniedDevicesIn, networkOf } from './denied.ts'
import { useDenials } from './record/queries.ts'
import type { Device, User } from './user.ts'
import styles from './users.module.css'

const WRITE = 'users:write'

type Props = { readonly user: User; readonly devices: readonly Device[] }

export function DeniedDevices({ user, devices }: Props) {
  const t = text.devices
  const query = useDenials(user)
  const denied = deniedDevicesIn(query.data ?? [], Date.now())
  return (
    <section className="stack tight" aria-label={t.denied}>
      <div>
        <h2>{t.denied}</h2>
        <p className="hint">
          {query.data !== undefined && denied.length === 0 ? t.noneDenied : t.deniedHint}
        </p>
      </div>
      <QueryBoundary query={query}>
        {denied.length > 0 && (
          <ul className={styles.sessions}>
            {denied.map((device) => (
              <OneDenied key={device.id} user={user} devices={devices} device={device} />
            ))}
          </ul>
        )}
      </QueryBoundary>
    </section>
  )
}

function OneDenied({ user, devices, device }: Props & { readonly device: DeniedDevice }) {
  const t = text.devices
  const [open, setOpen] = useState<'allow' | 'block' | null>(null)
  const name = device.name || t.unidentified
  const network = networkOf(device.ip)
  const close = () => setOpen(null)
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <Facts device={device} />
      <div className="bar">
        {device.canBind ? (
          <GuardedButton needs={WRITE} aria-label={t.allowOf(name)} onClick={() => setOpen('allow')}>
            {t.allow}
          </GuardedButton>
        ) : (
          <EditLock />
        )}
        {network !== undefined && (
          <GuardedButton
            needs={WRITE}
            className="danger"
            aria-label={t.blockOf(network)}
            onClick={() => setOpen('block')}
          >
            {t.block}
          </GuardedButton>
        )}
      </div>
      {open === 'allow' && <AllowDevice user={user} devices={devices} name={name} onClose={close} />}
      {open === 'block' && <NewBan network={network} onClose={close} />}
    </li>
  )
}

/** A device without an identity can only run scripts with a key that isn't bound to devices. */
function EditLock() {
  const [, change] = useFilters()
  return (
    <GuardedButton needs={WRITE} onClick={() => change({ tab: 'edit' })}>
      {recordText.problem.allowDevices}
    </GuardedButton>
  )
}

function Facts({ device }: { readonly device: DeniedDevice }) {
  const t = text.devices
  return (
    <dl className="facts-list">
      <dt>{t.deniedWhen}</dt>
      <dd title={exactly(device.at)}>{t.times(device.count, when(device.at))}</dd>
      <dt>{t.reason}</dt>
      <dd>{titleOf(device.reason)}</dd>
      <dt>{t.network}</dt>
      <dd>{device.ip || text.users.unknown}</dd>
      <dt>{text.users.executor}</dt>
      <dd dir="auto">{device.executor || text.users.unknown}</dd>
    </dl>
  )
}
