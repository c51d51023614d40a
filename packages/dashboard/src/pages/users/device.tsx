/** The device that a user is bound to, as far as it is stored, and how it is unbound. */
import { v1UserDeviceGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'
import { exactly, when } from '../../when.ts'
import { Waiting } from '../trouble.tsx'
import type { User } from './user.ts'
import styles from './users.module.css'

const TONES: Readonly<Record<string, Tone>> = { strong: 'good', medium: 'warn', weak: 'plain' }

export function Device({ user, onReset }: { user: User; onReset: () => void }) {
  const t = text.users
  const call = useCall()
  const asked = useQuery({
    queryKey: ['device', user.key, user.fingerprint_assigned, user.last_reset],
    queryFn: async () => (await v1UserDeviceGet({ ...call, path: { user_key: user.key } })).data.device,
  })
  const device = asked.data
  return (
    <Waiting asked={asked}>
      {device ? (
        <>
          <dl className="facts-list">
            <dt>{t.address}</dt>
            <dd>{device.ip ?? t.unknown}</dd>
            <dt>{t.executor}</dt>
            <dd>{device.executor ?? t.unknown}</dd>
          </dl>
          <section className={styles.scroll} aria-label={t.components}>
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
        </>
      ) : (
        <p>{t.noDevice}</p>
      )}
      <Resets user={user} onReset={onReset} />
    </Waiting>
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
        <GuardedButton needs="users:write" disabled={!user.fingerprint_assigned} onClick={onReset}>
          {t.changes.reset.action}
        </GuardedButton>
      </div>
    </>
  )
}
