import { RowActions } from '../../components/row-actions.tsx'
import { number } from '../../lib/format.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { text } from '../../messages/text.ts'
import { money } from './money.ts'
import { ProviderAddresses } from './provider-addresses.tsx'
import type { Open } from './queries.ts'
import { type Checkpoint, labelOf, useProviders, WRITE } from './queries.ts'

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
  const { name, url, provider, index, total_completed, total_started, value_per_thousand } = checkpoint
  const network = labelOf(providers.data, provider)
  const fallback = all.find(({ id }) => id === checkpoint.fallback_checkpoint_id)
  return (
    <>
      <div className="main-text">
        <div className="name">
          <strong data-number={number(index + 1)}>{name}</strong>
          <span className="badge plain">{network}</span>
        </div>
        <code>{url}</code>
        <div className="facts">
          <span>{t.passed(total_completed, total_started)}</span>
          {value_per_thousand !== null && <span>{t.perThousand(money(value_per_thousand))}</span>}
          {fallback && <span>{t.whileDown(fallback.name)}</span>}
        </div>
        <details>
          <summary aria-label={t.addressesOf(name)}>{t.addresses}</summary>
          <ProviderAddresses provider={provider} network={network} addresses={checkpoint} />
        </details>
      </div>
      <Actions {...given} />
    </>
  )
}

function Actions({ checkpoint: { id, name, index }, all, isMoving, onMove, onOpen }: Props) {
  return (
    <RowActions
      of={name}
      actions={[
        {
          label: '↑',
          name: t.moveUp(name),
          needs: WRITE,
          isDisabled: isMoving || index === 0,
          onClick: () => onMove(index - 1),
        },
        {
          label: '↓',
          name: t.moveDown(name),
          needs: WRITE,
          isDisabled: isMoving || index === all.length - 1,
          onClick: () => onMove(index + 1),
        },
        { label: t.edit, name: t.editOf(name), needs: WRITE, onClick: () => onOpen({ kind: 'edit', id }) },
        {
          label: text.remove,
          name: t.removeOf(name),
          needs: WRITE,
          isDanger: true,
          onClick: () => onOpen({ kind: 'remove', id }),
        },
      ]}
    />
  )
}
