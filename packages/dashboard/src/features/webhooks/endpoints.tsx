/** Lists all of a project's endpoints: its three built-in webhooks, and the custom endpoints. */
import { useState } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { webhooksText as t } from '../../messages/en/webhooks.ts'
import { type CustomDeed, CustomEndpoint, OpenedCustomEndpoint } from './custom-endpoint.tsx'
import { ASKED, OpenedProjectWebhook, type ProjectDeed, ProjectWebhook } from './project-webhook.tsx'
import { KINDS, type Kind, MAX_CUSTOM, useWebhooks } from './queries.ts'

const WRITE = 'webhooks:write'

export function Endpoints() {
  const query = useWebhooks()
  const [ofProject, setOfProject] = useState<ProjectDeed | null>(null)
  const [custom, setCustom] = useState<CustomDeed | null>(null)
  useDialogParam(ASKED, (kind) => setOfProject({ kind, deed: 'edit' }))
  useDialogParam({ address: WRITE }, () => setCustom('new'))
  const found = (kind: Kind) => query.data?.find((each) => each.kind === kind)
  const all = query.data?.filter(({ kind }) => kind === 'additional') ?? []
  return (
    <Panel
      title={t.addresses}
      hint={t.addressesHint}
      actions={<AddCustom isFull={all.length >= MAX_CUSTOM} onClick={() => setCustom('new')} />}
    >
      <QueryBoundary query={query}>
        <ul className="rows lines">
          {KINDS.map((kind) => (
            <ProjectWebhook key={kind} kind={kind} webhook={found(kind)} onOpen={setOfProject} />
          ))}
          {all.map((webhook) => (
            <CustomEndpoint
              key={webhook.id}
              webhook={webhook}
              onOpen={(deed) => setCustom({ deed, id: webhook.id })}
            />
          ))}
        </ul>
      </QueryBoundary>
      {ofProject && query.data && (
        <OpenedProjectWebhook
          open={ofProject}
          webhook={found(ofProject.kind)}
          onClose={() => setOfProject(null)}
        />
      )}
      {custom && <OpenedCustomEndpoint open={custom} all={all} onClose={() => setCustom(null)} />}
    </Panel>
  )
}

function AddCustom({ isFull, onClick }: { isFull: boolean; onClick: () => void }) {
  const readsUsers = useRefusal('users:read')
  return (
    <GuardedButton
      needs={WRITE}
      className="main"
      reason={readsUsers ?? (isFull ? t.moreFull : undefined)}
      onClick={onClick}
    >
      {t.addMore}
    </GuardedButton>
  )
}
