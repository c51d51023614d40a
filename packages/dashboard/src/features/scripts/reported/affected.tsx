/** Shows the customers that an error affects, with actions to reach them. */
import { useState } from 'react'
import { CopyButton } from '../../../components/code/copy-button.tsx'
import { GuardedButton } from '../../../components/guarded.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { addressOf } from '../../../lib/address.ts'
import { shortKey } from '../../../lib/short-key.ts'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import { NewAnnouncement } from '../../variables/announcements.tsx'
import { type ErrorDetail, MAX_AFFECTED, type ScriptOfErrors, useAffected } from './queries.ts'

type Props = { readonly script: ScriptOfErrors; readonly error: ErrorDetail }

export function Affected({ script, error }: Props) {
  const t = text.reported
  const [isShown, setIsShown] = useState(false)
  const [isMessaging, setIsMessaging] = useState(false)
  return (
    <section className="stack tight" aria-label={t.affected}>
      <h3>{t.affected}</h3>
      <p className="hint">{t.affectedHint}</p>
      <div className="bar">
        {!isShown && (
          <GuardedButton needs="users:read" onClick={() => setIsShown(true)}>
            {t.showAffected}
          </GuardedButton>
        )}
        <GuardedButton
          needs="projects:write"
          reason={error.keys === 0 ? t.noneAffected : undefined}
          onClick={() => setIsMessaging(true)}
        >
          {text.announcements.toAffected}
        </GuardedButton>
      </div>
      {isShown && <Users script={script} error={error} />}
      {isMessaging && <NewAnnouncement error={error} onClose={() => setIsMessaging(false)} />}
    </section>
  )
}

function Users({ script, error }: Props) {
  const t = text.reported
  const { id } = useProject()
  const query = useAffected(script.id, error.id)
  const { users = [] } = query.data ?? {}
  const mentions = users.flatMap(({ chat_id }) => (chat_id === null ? [] : [`<@${chat_id}>`]))
  return (
    <QueryBoundary query={query}>
      {users.length === 0 ? (
        <p>{t.noneAffected}</p>
      ) : (
        <>
          <div className="bar">
            {mentions.length > 0 && <CopyButton label={t.copyMentions} value={mentions.join(' ')} />}
            <CopyButton label={t.copyKeys} value={users.map(({ user_key }) => user_key).join('\n')} />
          </div>
          <ul className="rows" aria-label={t.affected}>
            {users.map(({ user_key, note, occurrences }) => (
              <li key={user_key}>
                <div className="main-text">
                  <a href={addressOf.user(id, user_key)}>
                    <code>{shortKey(user_key)}</code>
                  </a>
                  <div className="facts">
                    {note !== null && <bdi>{note}</bdi>}
                    <span>{t.times(occurrences)}</span>
                  </div>
                </div>
              </li>
            ))}
          </ul>
          {users.length === MAX_AFFECTED && <p className="hint">{t.moreAffected(MAX_AFFECTED)}</p>}
        </>
      )}
    </QueryBoundary>
  )
}
