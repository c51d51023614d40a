/** One entry of the audit log: a summary line that expands to all details. */

import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import type { AuditEntry } from '../../queries/access.ts'
import { Time } from '../time.tsx'
import { actorName, lineOf, type Reader, saysCount, summaryOf } from './audit-line.ts'
import { type Names, shortId, shownField } from './audit-values.ts'

const SHOWN_CHANGES = 3

type Props = {
  readonly entry: AuditEntry
  readonly names: Names
  readonly reader: Reader
  /** Called with the resource ID to filter the log by. */
  readonly onNoun: (noun: string) => void
}

export function Entry({ entry, names, reader, onNoun }: Props) {
  return (
    <details className="entry">
      <summary>
        <span className="time hint">
          <Time at={entry.created_at} />
        </span>
        <Line entry={entry} names={names} reader={reader} />
      </summary>
      <div className="inside">
        <Changes entry={entry} names={names} />
        <Facts entry={entry} names={names} onNoun={onNoun} />
        <TechnicalDetails entry={entry} />
      </div>
    </details>
  )
}

function Line({ entry, names, reader }: Omit<Props, 'onNoun'>) {
  const changes = summaryOf(entry, names)
  const more = changes.length - SHOWN_CHANGES
  const shown = [...changes.slice(0, SHOWN_CHANGES), ...(more > 0 ? [text.moreChanges(more)] : [])]
  return (
    <span className="line">
      <strong>{actorName(entry.actor, names)}</strong>{' '}
      {lineOf(entry, names, reader).map((piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <b key={piece.id} title={piece.id}>
            {piece.label}
          </b>
        ),
      )}
      {entry.count !== null && !saysCount(entry, reader) && ` (${text.rows(entry.count)})`}
      {shown.length > 0 && <span className="hint">: {shown.join(', ')}</span>}
    </span>
  )
}

function Changes({ entry: { changes }, names }: Pick<Props, 'entry' | 'names'>) {
  const all = Object.entries(changes)
  if (all.length === 0) return null
  // Shows IDs in full; only ad networks are shown by name, because their IDs are meaningless.
  const shown = (name: string, value: unknown) =>
    shownField(name, value, name === 'provider' ? names : undefined)
  return (
    <table>
      <caption className="unseen-text">{text.changesTitle}</caption>
      <thead>
        <tr>
          <th scope="col">{text.memberName}</th>
          <th scope="col">{text.before}</th>
          <th scope="col">{text.after}</th>
        </tr>
      </thead>
      <tbody>
        {all.map(([name, { before, after }]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{before === undefined ? '' : shown(name, before)}</td>
            <td>{shown(name, after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Facts({ entry, names, onNoun }: Omit<Props, 'reader'>) {
  const { actor, nouns, count } = entry
  return (
    <dl className="facts-list">
      <Fact name={text.time}>{exactly(entry.created_at)}</Fact>
      <Fact name={text.by}>
        {actorName(actor, names)}
        {actor.kind === 'person' && actor.name !== actorName(actor, names) && `, ${actor.name}`}
        {actor.id !== null && (
          <>
            {' '}
            <code>{actor.id}</code>
          </>
        )}
      </Fact>
      <Fact name={text.action}>
        <code>{entry.action}</code>
      </Fact>
      {Object.entries(nouns).map(([name, id]) => (
        <Fact name={<code>{name}</code>} key={name}>
          {names.get(id) !== undefined && `${names.get(id)} `}
          <code>{id}</code>{' '}
          <button
            type="button"
            className="link"
            aria-label={text.onlyThis(names.get(id) ?? shortId(id))}
            onClick={() => onNoun(id)}
          >
            {text.onlyThisShort}
          </button>
        </Fact>
      ))}
      {count !== null && <Fact name={text.nouns}>{text.rows(count)}</Fact>}
      <Fact name={text.network}>{entry.network ?? text.nothing}</Fact>
    </dl>
  )
}

function TechnicalDetails({ entry: { request_id, id, n, hash } }: { entry: AuditEntry }) {
  return (
    <details>
      <summary>{text.technicalDetails}</summary>
      <dl className="facts-list">
        <Fact name={text.request}>
          <code>{request_id || text.nothing}</code>
        </Fact>
        <Fact name={text.entryId}>
          <code>{id}</code>
        </Fact>
        <Fact name={text.entryNumber}>{n ?? text.notChainedYet}</Fact>
        <Fact name={text.entryHash}>
          <code>{hash ?? text.notChainedYet}</code>
        </Fact>
      </dl>
    </details>
  )
}

function Fact({ name, children }: { name: React.ReactNode; children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
