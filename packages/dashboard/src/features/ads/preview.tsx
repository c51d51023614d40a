/** A non-interactive preview of the system's first page, rendered by the server with the project's branding. */
import { v1AdSystemsPreview } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../components/panel.tsx'
import { VisitorPage } from '../../components/visitor-page.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { useCall } from '../../queries/api.ts'

export function Preview({ systemId }: { systemId: string }) {
  const call = useCall()
  const query = useQuery({
    queryKey: ['ad-preview', systemId],
    queryFn: async () => {
      const given = { path: { system_id: systemId }, query: { language: 'en' } } as const
      return (await v1AdSystemsPreview({ ...call, ...given })).data.html
    },
  })
  return (
    <Panel title={t.preview} hint={t.previewHint}>
      <QueryBoundary query={query}>
        <VisitorPage title={t.preview} html={query.data} />
      </QueryBoundary>
    </Panel>
  )
}
