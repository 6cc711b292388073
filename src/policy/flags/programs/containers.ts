/** Containers, clusters and clouds. A container that sees this machine is no container. */
import type { Effects, Programs, Seen, Spec } from "../vocabulary.js";

const HOST = "gives the container a part of this machine";
const RUNS = "runs another program";
const ELSEWHERE = "works elsewhere, or with other settings";

const text = (flags: string, doubt: Record<string, string> = {}): Spec => ({ flags, doubt, words: "text" });
const names = (list: string, spec: Spec) => Object.fromEntries(list.split(" ").map((name) => [name, spec]));

const RUN_FLAGS = `-d --detach -i --interactive -t --tty --rm --name= -e=~ --env=~ -p= --publish= -P --publish-all --entrypoint=~ -w=~ --workdir=~ -u= --user= --network= --net= --hostname= -h= --restart= --init --memory= -m= --cpus= --platform= --pull= -l= --label= -v=~ --volume=~ --mount=~ --tmpfs=~ --read-only --add-host= --expose= --link= --dns= --shm-size= --stop-timeout=
  --stop-signal= --health-cmd=~ --no-healthcheck --log-driver= --log-opt= --memory-swap= --cpuset-cpus= --cpu-shares= -q --quiet --sig-proxy --attach= -a= --detach-keys= --gpus= --ulimit= --ip= --network-alias= --pid= --ipc= --uts= --userns= --cgroupns=`;
const RUN_DOUBTS = {
  "--privileged --cap-add= --device= --security-opt= --volumes-from= --device-cgroup-rule= --cgroup-parent= --runtime= --group-add= --sysctl= --isolation= --use-api-socket":
    HOST,
  "--env-file= --label-file= --cidfile= --volume-driver=": "reads or writes a file",
};

/** A named volume stays with the engine; a path is this machine's disk. */
/** Registries that people publish to; any other is named by whoever wrote the command. */
const REGISTRIES =
  /^(?:docker\.io|ghcr\.io|quay\.io|gcr\.io|registry\.gitlab\.com|public\.ecr\.aws|mcr\.microsoft\.com|localhost(?::\d+)?)\//;
const isForeignImage = (image: string) =>
  image.includes("/") && /[.:]/.test(image.split("/")[0] ?? "") && !REGISTRIES.test(image);

function hostParts(seen: Seen): string[] {
  const volumes = [
    ...seen.values("-v", "--volume").filter((volume) => /^[/.~$]|^[A-Za-z]:\\/.test(volume)),
    ...seen.values("--mount").filter((mount) => /type=bind|(?:source|src)=[/.~]/.test(mount)),
  ];
  const spaces = seen
    .values("--pid", "--ipc", "--uts", "--userns", "--network", "--net", "--cgroupns")
    .filter((space) => /^host$|^container:/.test(space));
  return [...volumes.map((volume) => `"${volume}" ${HOST}`), ...spaces.map((space) => `"${space}" ${HOST}`)];
}

const run: Spec = {
  style: "first",
  flags: RUN_FLAGS,
  doubt: RUN_DOUBTS,
  words: ([image = ""], seen) => ({
    doubts: [...hostParts(seen), ...(isForeignImage(image) ? [`"${image}" comes from elsewhere`] : [])],
  }),
};

const inside: Spec = {
  style: "first",
  flags:
    "-d --detach -i --interactive -t --tty -e=~ --env=~ -u= --user= -w=~ --workdir=~ -T --index= --detach-keys=",
  doubt: { "--privileged --env-file=": HOST },
  words: ([, program = "", ...rest]) => ({
    doubts:
      /(?:^|\/)(?:env|printenv|set)$/.test(program) || (/(?:^|\/)\w*sh$/.test(program) && rest.length > 0)
        ? [`runs "${[program, ...rest].join(" ")}" in a container that is at work`]
        : [],
  }),
};

const SHOWS = text(
  "-a --all -q --quiet -f= --filter= --format= -n= --last= -l --latest --no-trunc -s --size --digests --tree -v --verbose -t --timestamps --tail= --since= --until= --follow --details --no-stream --type= --no-log-prefix --no-color --services --status= --json --human -H --orphans --volumes --images --profiles --hash= --resolve-image-digests",
);
const DOES = text(
  "-f --force -a --all -v --volumes -t= --time= -s= --signal= --timeout= -q --quiet --filter= --link -d= --driver= --subnet= --gateway= --label= --attachable --internal --ipv6 --name= --no-prune --alias= --ip= --disable-content-trust --platform= --all-tags --password-stdin -u= --username= -n --no-start -m= --message= --author= -c= --change= --pause --memory= --cpus= --restart=",
);

const build: Spec = {
  flags:
    "-t= --tag= -f=< --file=< --build-arg= --target= --no-cache --pull --platform= --progress= -q --quiet --label= --rm --force-rm --squash --load --push --no-cache-filter= --network= --iidfile=> --metadata-file=> --shm-size= --compress --provenance= --sbom= --builder= --cache-from= --cache-to= --add-host= --memory= -m= --check --debug",
  doubt: {
    "--ssh= --secret= --allow= --security-opt= -o= --output= --build-context= --cgroup-parent= --call=": HOST,
  },
  words: (words, seen) => ({
    urls: words.filter((word) => /^(?:https?|git|ssh):|^git@/.test(word)),
    reads: words.filter((word) => !/^(?:https?|git|ssh):|^git@/.test(word)),
    doubts: [
      ...(seen.values("--network").includes("host") ? [HOST] : []),
      ...words
        .filter((word) => /^(?:https?|git|ssh):|^git@/.test(word))
        .map((word) => `"${word}" is built from elsewhere`),
    ],
  }),
};

const COMPOSE_RUN: Spec = {
  ...run,
  flags: `${RUN_FLAGS} -T --no-deps --service-ports --use-aliases --build --remove-orphans --quiet-pull --no-TTY`,
};

const compose: Spec = {
  flags:
    "-p= --project-name= --profile= --progress= --ansi= --parallel= --compatibility --dry-run --verbose --no-ansi -v",
  changes: "-f=< --file=<",
  check: (seen) => ({
    doubts: seen
      .values("-f", "--file")
      .filter((file) => !/^(?:\.\/)?(?:docker-)?compose[\w.-]*\.ya?ml$/.test(file))
      .map((file) => `"${file}" is not a compose file of this project by its name`),
  }),
  doubt: {
    "--env-file= --project-directory= -H= --host= --context= --tls --tlscert= --tlskey= --workdir=":
      ELSEWHERE,
  },
  subcommands: {
    ...names("ps logs images ls top port version events stats volumes", {
      ...SHOWS,
      flags: `${SHOWS.flags ?? ""} -f -n= --no-interpolate --environment --variables -o= --output=`,
    }),
    ...names(
      "up down start stop restart build pull push create rm kill pause unpause watch wait scale",
      text(
        "-d --detach --build --force-recreate --no-recreate --no-deps --no-build --remove-orphans -t= --timeout= --wait --wait-timeout= --scale= --abort-on-container-exit --exit-code-from= --attach= --no-attach= --no-log-prefix --quiet-pull --pull= --no-cache --build-arg= -q --quiet --ignore-pull-failures -f --force -s --stop --no-start --renew-anon-volumes -V --always-recreate-deps --no-color --parallel --progress= -m= --memory= --include-deps --signal= --no-up --menu --watch -w --timestamps --push --with-dependencies",
      ),
    ),
    config: { flags: "-q --quiet --services --images --profiles --volumes --no-interpolate --format=" },
    exec: inside,
    run: COMPOSE_RUN,
  },
};

const docker: Spec = {
  flags: "-D --debug -l= --log-level= -v",
  doubt: {
    "-H= --host= -c= --context= --config= --tls --tlscacert= --tlscert= --tlskey= --tlsverify": ELSEWHERE,
  },
  subcommands: {
    run,
    create: run,
    exec: inside,
    build,
    ...names("ps images info version inspect top stats port diff history search events", SHOWS),
    logs: { ...SHOWS, flags: "-f --follow -t --timestamps --tail= -n= --since= --until= --details" },
    ...names(
      "start stop restart kill rm rmi pull push tag pause unpause wait rename login logout attach commit update",
      {
        ...DOES,
        flags: `${DOES.flags ?? ""} -i --interactive --no-stdin --sig-proxy --detach-keys=`,
        doubt: { "-p= --password=": "shows a password" },
      },
    ),
    ...names("save export", { flags: "-o=> --output=> --platform=", words: "text" }),
    load: { flags: "-i=< --input=< -q --quiet --platform=" },
    import: {
      flags: "-c= --change= -m= --message= --platform=",
      words: (words) => ({ reads: words.slice(0, 1).filter((word) => !/^https?:/.test(word)) }),
    },
    cp: { flags: "-a --archive -L --follow-link -q --quiet", words: copyWords },
    image: group("ls list inspect history", "pull push tag rm prune"),
    container: group(
      "ls list ps inspect logs top stats port diff",
      "start stop restart kill pause unpause rename wait rm prune",
    ),
    network: group("ls list inspect", "create rm connect disconnect prune"),
    volume: group("ls list inspect", "create"),
    system: group("df info events", ""),
    context: group("ls list show inspect", ""),
    builder: group("", "prune"),
    node: group("ls inspect ps", ""),
    service: group("ls inspect ps logs", ""),
    stack: group("ls ps services", ""),
    manifest: group("inspect", ""),
    buildx: {
      subcommands: {
        build,
        ls: {},
        inspect: text("--bootstrap"),
        prune: DOES,
        version: {},
        use: text("--default --global"),
        du: SHOWS,
        create: text("--name= --use --platform= --driver= --bootstrap"),
        rm: DOES,
        bake: text("--print --no-cache --pull --push --load --progress=", {
          "-f= --file= --set= --allow=": ELSEWHERE,
        }),
      },
    },
    compose,
  },
};

const within = (word: string) => /^[\w.-]{2,}:/.test(word);

/** `host:path` marks the container; the other side is this machine's disk. */
function copyWords(words: readonly string[]): Effects {
  const [from = "", to = ""] = words;
  return { reads: within(from) ? [] : [from], writes: within(to) ? [] : [to] };
}

/** `docker image ls` and its like; what is not named here is doubted. */
function group(shown: string, done: string): Spec {
  return { subcommands: { ...names(shown, SHOWS), ...names(done, DOES) } };
}

const KUBE = `-n= --namespace= -A --all-namespaces --context= --cluster= -o= --output= -l= --selector= --field-selector= --show-labels --no-headers --sort-by= -w --watch --watch-only --chunk-size= --ignore-not-found -v= --v= --request-timeout= --cache-dir= --show-kind -L= --label-columns= --raw= --subresource= --show-managed-fields --allow-missing-template-keys --template= --output-watch-events -h`;
const KUBE_DOUBTS = {
  "--kubeconfig= -s= --server= --token= --as= --as-group= --user= --username= --password= --client-key= --client-certificate= --certificate-authority= --insecure-skip-tls-verify? --profile= --profile-output=":
    ELSEWHERE,
};

/** Things whose loss or making reaches far beyond themselves. */
const KUBE_FAR =
  /^(?:token|clusterrole\w*|role\w*|secrets?|namespaces?|ns|pv|pvc|persistentvolume\w*|crds?|customresource\w*|nodes?|no)(?:$|[,/.])/;

const kubeFiles = (words: readonly string[], seen: Seen): Effects => {
  const files = seen.values("-f", "--filename", "-k", "--kustomize");
  const away = files.filter((file) => /^\w+:\/\//.test(file));
  return {
    reads: files.filter((file) => !away.includes(file)),
    urls: away,
    doubts: [
      ...away.map((file) => `"${file}" comes from elsewhere`),
      ...words.filter((word) => word.startsWith("--raw")).map(() => ELSEWHERE),
    ],
  };
};

const kubectl: Spec = {
  flags: KUBE,
  doubt: KUBE_DOUBTS,
  inherits: true,
  subcommands: {
    ...names("get describe top explain api-resources api-versions version cluster-info events auth", {
      flags:
        "-f= --filename= -k= --kustomize= -R --recursive --show-events --recursive --api-version= --containers --client --short --namespaced --verbs= --api-group= --list --quiet -q --for= --types= --no-headers",
      words: kubeFiles,
      check: (seen) => ({ doubts: [...secretDoubts(seen.words), ...(seen.has("--raw") ? [ELSEWHERE] : [])] }),
    }),
    logs: {
      flags:
        "-f --follow --tail= --since= --since-time= -c= --container= -p --previous --all-containers --timestamps --prefix --max-log-requests= --limit-bytes= --ignore-errors --all-pods",
      words: "text",
    },
    ...names("apply create delete diff scale autoscale label annotate rollout wait", {
      flags:
        "-f= --filename= -k= --kustomize= -R --recursive --dry-run? --server-side --force --force-conflicts --grace-period= --timeout= --wait --now --all --prune --validate= --field-manager= --overwrite --replicas= --current-replicas= --min= --max= --cpu-percent= --port= --target-port= --type= --name= --image= --for= --revision= --to-revision= --ignore-daemonsets --delete-emptydir-data --record --save-config --patch= -p= --patch-file=< --from-literal= --restart= --schedule= --env= -e= --cascade= --local --list --ignore-not-found --clusterrole= --role= --serviceaccount= --verb= --resource= --docker-server= --docker-username= --docker-password= --docker-email=",
      doubt: {
        "--overrides= --from-file= --from-env-file= --raw= --env-file=": "takes what is not shown here",
      },
      words: (words, seen) => ({
        ...kubeFiles(words, seen),
        doubts: [
          ...(kubeFiles(words, seen).doubts ?? []),
          ...words
            .filter((word) => KUBE_FAR.test(word))
            .map((word) => `"${word}" reaches further than one thing`),
          ...(seen.has("--image") ? ["runs an image in the cluster"] : []),
          ...(seen.values("--replicas").includes("0") ? ["stops all of them"] : []),
          ...(seen.has("--all", "--prune") ? ["changes or deletes everything of a kind"] : []),
        ],
      }),
    }),
    config: {
      words: (words) => ({
        doubts: /^(?:view|get-contexts|current-context|get-clusters|get-users|use-context)$/.test(
          words[0] ?? "",
        )
          ? []
          : ["changes how the cluster is reached"],
      }),
      flags: "--minify --flatten --current",
      doubt: { "--raw": "shows the keys to the cluster" },
    },
    kustomize: { words: "reads" },
    options: {},
    completion: text(""),
    exec: { words: () => ({ doubts: ["runs a command in the cluster"] }), prepare: () => [] },
    cp: { words: () => ({ doubts: ["copies between the cluster and this machine"] }), prepare: () => [] },
    run: { words: () => ({ doubts: ["runs something in the cluster"] }), prepare: () => [] },
    "port-forward": {
      flags: "--pod-running-timeout=",
      doubt: { "--address=": "opens this machine to others" },
      words: "text",
    },
    edit: { words: () => ({ doubts: ["opens an editor"] }), prepare: () => [] },
    proxy: { words: () => ({ doubts: ["opens the cluster to this machine"] }), prepare: () => [] },
    debug: { words: () => ({ doubts: ["runs something in the cluster"] }), prepare: () => [] },
    attach: { words: () => ({ doubts: ["talks to a program in the cluster"] }), prepare: () => [] },
  },
};

const secretDoubts = (words: readonly string[]) =>
  words
    .filter((word) => /(?:^|,)secrets?(?:$|[,/.])/.test(word))
    .map(() => "shows the secrets of the cluster");

const terraform: Spec = {
  flags: "-version -v",
  doubt: { "-chdir=": ELSEWHERE },
  style: "whole",
  subcommands: {
    ...names("plan validate fmt providers graph version state workspace get", {
      style: "whole",
      flags:
        "-no-color -json -input= -lock= -lock-timeout= -out=> -var= -var-file=< -target= -refresh= -refresh-only -destroy -detailed-exitcode -parallelism= -compact-warnings -recursive -check -diff -write= -list= -type= -update -replace= -concise",
      check: (seen) => ({ doubts: seen.has("-raw") ? ["shows secrets in the clear"] : [] }),
      words: (words) => ({
        doubts: words
          .filter((word) => /^(?:rm|mv|push|pull|replace-provider|delete)$/.test(word))
          .map((word) => `"${word}" changes what is known of the real thing, or shows its secrets`),
        reads: words.filter((word) => /[./]/.test(word) && !/^[\w-]+\.[\w.[\]"-]+$/.test(word)),
      }),
    }),
    ...names("show output", {
      style: "whole",
      flags: "-no-color",
      doubt: { "-json -raw -state=": "shows secrets in the clear" },
      words: "reads",
    }),
    init: {
      style: "whole",
      flags:
        "-no-color -input= -upgrade -reconfigure -migrate-state -backend= -get= -lock= -lockfile= -force-copy",
      doubt: { "-backend-config= -plugin-dir= -from-module=": ELSEWHERE },
      words: "none",
    },
    ...names("apply destroy import taint untaint", {
      style: "whole",
      words: () => ({ doubts: ["changes the real thing"] }),
      prepare: () => [],
    }),
  },
};

const aws: Spec = {
  flags:
    "--region= --output= --no-paginate --page-size= --max-items= --query= --color= --no-cli-pager --profile= --debug --no-sign-request --cli-connect-timeout= --cli-read-timeout= --no-verify-ssl",
  style: "first",
  words: (words) => {
    const [service = "", verb = "", ...rest] = words;
    const away = rest.filter((word) =>
      /^--(?:endpoint-url|ca-bundle|cli-input|profile|cli-binary)|^(?:file|fileb):\/\//.test(word),
    );
    if (words.length === 0 || verb === "help" || service === "help") return {};
    if (service === "s3" && /^(?:ls|mb|rb|presign)$/.test(verb))
      return {
        urls: rest.filter((word) => word.startsWith("s3://")),
        doubts: away.map((word) => `"${word}" ${ELSEWHERE}`),
      };
    if (service === "s3" && /^(?:cp|mv|sync|rm)$/.test(verb))
      return {
        urls: rest.filter((word) => word.startsWith("s3://")),
        reads: rest.filter((word) => !word.startsWith("s3://") && !word.startsWith("-")),
        doubts: away.map((word) => `"${word}" ${ELSEWHERE}`),
      };
    const shows =
      /^(?:describe|list|get|head|lookup|filter|tail|wait|search|batch-get|scan|query)(?:-|$)/.test(verb) &&
      !/secret|password|token|credential|parameter|session|authorization|login|get-object$/.test(verb);
    return {
      doubts: [
        ...(shows ||
        (service === "sts" && verb === "get-caller-identity") ||
        (service === "configure" && verb === "list")
          ? []
          : [`"${service} ${verb}" does more than show something, or shows a secret`]),
        ...away.map((word) => `"${word}" ${ELSEWHERE}`),
      ],
    };
  },
};

const cloud: Spec = {
  style: "first",
  words: (words) => {
    const plain = words.filter((word) => !word.startsWith("-"));
    const shows =
      plain.some((word) => /^(?:list|show|describe|get|info|version|help|ls)$/.test(word)) &&
      !plain.some((word) => /secret|key|token|password|credential|ssh|auth|access|feedback/.test(word));
    return { doubts: shows ? [] : ["does more than show something, or shows a secret"] };
  },
};

export const containerPrograms = (): Programs => ({
  docker,
  podman: docker,
  nerdctl: docker,
  "docker-compose": compose,
  "podman-compose": compose,
  buildah: {
    subcommands: {
      build,
      bud: build,
      images: SHOWS,
      containers: SHOWS,
      inspect: SHOWS,
      version: {},
      rm: DOES,
      rmi: DOES,
      pull: DOES,
    },
  },
  skopeo: {
    subcommands: {
      inspect: { flags: "--raw --config --format=", words: "urls" },
      "list-tags": { words: "urls" },
    },
  },
  kubectl,
  k: kubectl,
  oc: kubectl,
  k9s: text("-n= --namespace= -c= --command= --readonly"),
  helm: {
    flags: "-n= --namespace= --debug --kube-context=",
    doubt: {
      "--kubeconfig= --kube-token= --kube-apiserver= --registry-config= --repository-config= --repository-cache= --kube-as-user=":
        ELSEWHERE,
    },
    inherits: true,
    subcommands: {
      ...names(
        "list ls status history get show search template lint version env verify dependency dep",
        text(
          "-A --all-namespaces -a --all -o= --output= -f=< --values=< --set= --set-string= --version= --revision= -q --short --max= -l --versions --devel --strict --include-crds --validate --skip-tests --name-template= --api-versions= -s= --show-only= --filter= --deployed --failed --pending --output-dir=> --is-upgrade",
          { "--post-renderer= --set-file= --repo= --kube-version=": RUNS },
        ),
      ),
      ...names(
        "install upgrade uninstall delete rollback test repo create package pull",
        text(
          "-f=< --values=< --set= --set-string= --version= -i --install --atomic --wait --timeout= --create-namespace --dry-run? --force --reuse-values --reset-values --description= --history-max= --cleanup-on-fail --generate-name -g --keep-history --no-hooks --untar -d=> --destination=> -u --dependency-update --app-version= --force-update",
          {
            "--post-renderer= --post-renderer-args= --set-file= --repo= --keyring= --username= --password= --ca-file= --cert-file= --key-file= --insecure-skip-tls-verify":
              RUNS,
          },
        ),
      ),
    },
  },
  minikube: {
    subcommands: names(
      "start stop status delete pause unpause ip dashboard service addons profile logs version update-check node image",
      text(
        "-p= --profile= --driver= --cpus= --memory= --kubernetes-version= --url -o= --output= --all --nodes= --disk-size= -n= --namespace=",
      ),
    ),
  },
  kind: {
    subcommands: names(
      "get create delete load export version",
      text("--name= --image= --wait= -q", { "--config= --kubeconfig=": ELSEWHERE }),
    ),
  },
  terraform,
  tofu: terraform,
  "ansible-playbook": {
    flags:
      "-i=< --inventory=< -C --check -D --diff -l= --limit= -t= --tags= --skip-tags= --list-hosts --list-tasks --list-tags --syntax-check -v -vv -vvv -f= --forks= --step --start-at-task= --flush-cache --force-handlers",
    doubt: {
      "-e= --extra-vars= -b --become -K --ask-become-pass -u= --user= -c= --connection= -M= --module-path= --ssh-common-args= --ssh-extra-args= --sftp-extra-args= --vault-password-file= --vault-id= --private-key= -k":
        RUNS,
    },
    words: (words, seen) => ({
      reads: words,
      doubts: seen.has("-C", "--check", "--list-hosts", "--list-tasks", "--list-tags", "--syntax-check")
        ? []
        : ["runs a playbook, here or on other machines"],
    }),
  },
  ansible: { words: () => ({ doubts: ["runs a command on other machines"] }), prepare: () => [] },
  "ansible-lint": {
    flags: "-q -v -p --parseable --fix? -x= --skip-list= -t= --tags= -L --offline",
    words: "reads",
  },
  vagrant: {
    subcommands: {
      ...names(
        "status global-status up halt destroy reload suspend resume provision box port validate version snapshot",
        text(
          "--provision --no-provision --provider= -f --force --prune --machine-readable --parallel --provision-with=",
        ),
      ),
      init: text("-m --minimal -f --force --box-version="),
      ssh: {
        flags: "",
        words: (words) => ({ doubts: words.length > 1 ? [RUNS] : [] }),
        doubt: { "-c= --command= --": RUNS },
      },
    },
  },
  aws,
  gcloud: cloud,
  az: cloud,
  doctl: cloud,
  heroku: {
    style: "first",
    words: (words) => ({
      doubts: /^(?:logs|ps|apps|releases|addons|domains|status|regions|version|help)(?::info)?$/.test(
        words[0] ?? "",
      )
        ? []
        : ["does more than show something"],
    }),
  },
  flyctl: cloud,
  fly: cloud,
  netlify: {
    subcommands: names(
      "status dev build sites:list link open",
      text("--json --site= --port= -o --prod --offline --context="),
    ),
  },
  vercel: {
    subcommands: names(
      "ls list inspect logs whoami projects dev build pull",
      text("--prod --yes -y --json --environment= --listen= --debug"),
    ),
  },
  pulumi: {
    subcommands: names(
      "preview stack config whoami version about logs",
      text("-s= --stack= --diff --json --non-interactive --color= -y", {
        "--show-secrets -C= --cwd= --exec-kind=": ELSEWHERE,
      }),
    ),
  },
});
