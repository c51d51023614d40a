/** How a receiver knows that a message is from this service. */
import { webhooksKeys } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { text } from '../../text/text.ts'
import { exactly } from '../../when.ts'
import { Waiting } from '../trouble.tsx'
import { LIBRARY_SAMPLE, nodeSample, pythonSample } from './samples.ts'

const t = text.webhooks

export function Verify() {
  const call = useCall()
  const asked = useQuery({
    queryKey: ['webhook-keys'],
    queryFn: async () => (await webhooksKeys(call)).data.keys,
  })
  const keys = asked.data ?? []
  return (
    <Panel title={t.verify} hint={t.verifyHint}>
      <Waiting asked={asked}>
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
      </Waiting>
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
