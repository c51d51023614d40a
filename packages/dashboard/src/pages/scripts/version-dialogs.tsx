/** What one looks at of a version, over the list. */
import { v1ScriptVersionsTest } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api.ts'
import { CodeDiff } from '../../parts/code-diff.tsx'
import { CodeEditor } from '../../parts/code-editor.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { saveText } from '../../save-text.ts'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'
import { BuildReport } from './build-report.tsx'
import { type Script, useSource, useVersion, WRITE } from './queries.ts'

type Given = { readonly script: Script; readonly version: number; readonly onClose: () => void }

export function ReportDialog({ script, version, onClose }: Given) {
  const asked = useVersion(script.id, version)
  return (
    <Dialog title={text.scripts.reportTitle(version)} isWide onClose={onClose}>
      <Waiting asked={asked}>{asked.data && <BuildReport version={asked.data} />}</Waiting>
    </Dialog>
  )
}

export function SourceDialog({
  script,
  version,
  onClose,
  onEdit,
}: Given & { onEdit: (source: string) => void }) {
  const asked = useSource(script.id, version)
  const source = asked.data ?? ''
  return (
    <Dialog title={text.scripts.sourceTitle(version)} isWide onClose={onClose}>
      <Waiting asked={asked}>
        <CodeEditor label={text.scripts.sourceTitle(version)} value={source} />
        <div className="bar end">
          <SaveButton script={script} version={version} source={source} />
          <GuardedButton
            needs={WRITE}
            className="main"
            onClick={() => {
              onClose()
              onEdit(source)
            }}
          >
            {text.scripts.edit}
          </GuardedButton>
        </div>
        <Proof script={script} version={version} />
      </Waiting>
    </Dialog>
  )
}

/** The older one first, whichever is served. */
export function CompareDialog({ script, version, onClose }: Given) {
  const before = Math.min(version, script.version)
  const after = Math.max(version, script.version)
  const [one, other] = [useSource(script.id, before), useSource(script.id, after)]
  return (
    <Dialog title={text.scripts.compareTitle(before, after)} isWide onClose={onClose}>
      <Waiting asked={one}>
        <Waiting asked={other}>
          <CodeDiff
            label={text.scripts.diffLabel(before, after)}
            before={one.data ?? ''}
            after={other.data ?? ''}
          />
          <div className="bar end">
            <SaveButton script={script} version={before} source={one.data ?? ''} />
            <SaveButton script={script} version={after} source={other.data ?? ''} />
          </div>
        </Waiting>
      </Waiting>
    </Dialog>
  )
}

function SaveButton({ script, version, source }: { script: Script; version: number; source: string }) {
  return (
    <button type="button" onClick={() => saveText(`${script.name}.v${version}.lua`, source)}>
      {text.scripts.saveSource(version)}
    </button>
  )
}

function Proof({ script, version }: { script: Script; version: number }) {
  const call = useCall()
  const path = { script_id: script.id, n: version }
  const asked = useQuery({
    queryKey: ['script', script.id, 'test', version],
    queryFn: async () => (await v1ScriptVersionsTest({ ...call, path })).data.test_script,
  })
  if (!asked.data) return null
  return (
    <>
      <h3>{text.scripts.provedBy}</h3>
      <CodeEditor label={text.scripts.provedBy} value={asked.data} />
    </>
  )
}
