/** Explains how receivers verify signatures. */
import { webhooksKeys } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { Snippet } from '../../components/code/snippet.tsx'
import { Panel } from '../../components/panel.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { exactly } from '../../lib/when.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { useCall } from '../../queries/api.ts'
import { LIBRARY_SAMPLE, nodeSample, pythonSample } from './samples.ts'

const t = webhooksText

export function Verify() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['webhook-keys'],
    queryFn: async () => (await webhooksKeys(call)).data.keys,
  })
  const keys = query.data ?? []
  return (
    <Panel title={t.verify} hint={t.verifyHint}>
      <QueryBoundary query={query}>
        <Samples whpk={keys[0]?.whpk ?? ''} />
        <ul className="stack tight">
          {keys.map(({ id, whpk, not_after }) => (
            <li key={id} className="stack tight">
              <strong>{not_after === null ? t.publicKey : t.retiredKey(exactly(not_after))}</strong>
              <div className="secret">
                <code>{whpk}</code>
                <CopyButton value={whpk} />
              </div>
            </li>
          ))}
        </ul>
      </QueryBoundary>
      <p className="hint">{t.answerHint}</p>
    </Panel>
  )
}

function Samples({ whpk }: { whpk: string }) {
  const library = (
    <>
      <p className="hint">{t.verifyLibraryHint}</p>
      <Snippet code={LIBRARY_SAMPLE} label={t.verifyLibrary} />
    </>
  )
  return (
    <Tabs
      label={t.verify}
      tabs={[
        {
          id: 'node',
          title: t.verifyNode,
          content: <Snippet code={nodeSample(whpk)} label={t.verifyNode} />,
        },
        {
          id: 'python',
          title: t.verifyPython,
          content: <Snippet code={pythonSample(whpk)} label={t.verifyPython} />,
        },
        { id: 'library', title: t.verifyLibrary, content: library },
      ]}
    />
  )
}
