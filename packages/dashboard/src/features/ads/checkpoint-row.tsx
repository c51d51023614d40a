import { GuardedButton } from '../../components/guarded.tsx'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { ProviderAddresses } from './provider-addresses.tsx'
import type { Open } from './queries.ts'
import { type Checkpoint, labelOf, useProviders, WRITE } from './queries.ts'

const t = text.ads
type Props = {
  readonly checkpoint: Checkpoint
  readonly all: readonly Checkpoint[]
  readonly isMoving: boolean
  readonly onMove: (index: number) => void
  readonly onOpen: (open: Open) => void
}

export function CheckpointRow(given: Props) {
  const { checkpoint, all } = given
  const providers = useProviders()
  const { name, url, provider, index, total_completed, total_started } = checkpoint
  const fallback = all.find(({ id }) => id === checkpoint.fallback_checkpoint_id)
  return (
    <>
      <div className="main-text">
        <div className="name">
          <span className="badge plain">{number(index + 1)}</span>
          <strong>{name}</strong>
          <span className="badge plain">{labelOf(providers.data, provider)}</span>
        </div>
        <code>{url}</code>
        <div className="facts">
          <span>{t.passed(total_completed, total_started)}</span>
          {fallback && <span>{t.whileDown(fallback.name)}</span>}
        </div>
        <details>
          <summary aria-label={t.addressesOf(name)}>{t.addresses}</summary>
          <ProviderAddresses provider={provider} addresses={checkpoint} />
        </details>
      </div>
      <Actions {...given} />
    </>
  )
}

function Actions({ checkpoint: { id, name, index }, all, isMoving, onMove, onOpen }: Props) {
  return (
    <div className="actions">
      <GuardedButton
        needs={WRITE}
        aria-label={t.moveUp(name)}
        disabled={isMoving || index === 0}
        onClick={() => onMove(index - 1)}
      >
        ↑
      </GuardedButton>
      <GuardedButton
        needs={WRITE}
        aria-label={t.moveDown(name)}
        disabled={isMoving || index === all.length - 1}
        onClick={() => onMove(index + 1)}
      >
        ↓
      </GuardedButton>
      <GuardedButton needs={WRITE} aria-label={t.editOf(name)} onClick={() => onOpen({ kind: 'edit', id })}>
        {t.edit}
      </GuardedButton>
      <GuardedButton
        needs={WRITE}
        className="danger"
        aria-label={t.removeOf(name)}
        onClick={() => onOpen({ kind: 'remove', id })}
      >
        {text.remove}
      </GuardedButton>
    </div>
  )
}
