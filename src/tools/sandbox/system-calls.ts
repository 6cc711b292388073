/**
 * The numbers of the system calls that the filter names, by processor. A processor without a table has no filter, and
 * without a filter there is no sandbox.
 */
/** A call with permission bits in one argument; `flags`: they count only when the flags in this one make a file. */
export type ModeCall = { readonly call: number; readonly mode: number; readonly flags?: number };

export type SystemCalls = {
  /** The kernel's name for the processor's calling convention (AUDIT_ARCH_…). */
  readonly audit: number;
  /** Numbers from here on belong to a second convention of the same processor. */
  readonly secondConvention?: number;
  readonly clone: number;
  readonly ioctl: number;
  readonly fcntl: number;
  readonly socket: number;
  readonly socketPair: number;
  readonly setsMode: readonly ModeCall[];
  /** Refused as if the kernel did not have them, so that programs use the older call. */
  readonly absent: readonly number[];
  /** Refused whatever their arguments are. */
  readonly refused: readonly number[];
};

/** The same on every processor: the newer calls. */
const CLONE3 = 435;
const OPENAT2 = 437;
const FCHMODAT2 = 452;
const NEWER = [
  // io_uring: its operations pass no filter.
  425, 426, 427,
  // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr
  428, 429, 430, 431, 432, 433, 442, 467,
  // pidfd_getfd, process_madvise, quotactl_fd, memfd_secret
  438, 440, 443, 447,
];

const X64: SystemCalls = {
  audit: 0xc000003e,
  secondConvention: 0x40000000,
  clone: 56,
  ioctl: 16,
  fcntl: 72,
  socket: 41,
  socketPair: 53,
  // chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat, open, openat
  setsMode: [
    { call: 90, mode: 1 },
    { call: 91, mode: 1 },
    { call: 268, mode: 2 },
    { call: FCHMODAT2, mode: 2 },
    { call: 85, mode: 1 },
    { call: 133, mode: 1 },
    { call: 259, mode: 2 },
    { call: 2, mode: 2, flags: 1 },
    { call: 257, mode: 3, flags: 2 },
  ],
  absent: [CLONE3, OPENAT2],
  refused: [
    // ptrace, process_vm_readv, process_vm_writev, kcmp
    101,
    310,
    311,
    312,
    // add_key, request_key, keyctl
    248,
    249,
    250,
    // bpf, perf_event_open, userfaultfd, fanotify_init
    321,
    298,
    323,
    300,
    // mount, umount2, pivot_root, chroot, setns, unshare
    165,
    166,
    155,
    161,
    308,
    272,
    // init_module, delete_module, finit_module, create_module, query_module, kexec_load, kexec_file_load
    175,
    176,
    313,
    174,
    178,
    246,
    320,
    // name_to_handle_at, open_by_handle_at
    303,
    304,
    // quotactl, reboot, swapon, swapoff, acct, syslog, lookup_dcookie, vhangup, nfsservctl, uselib, _sysctl
    179,
    169,
    167,
    168,
    163,
    103,
    212,
    153,
    180,
    134,
    156,
    // settimeofday, clock_settime, adjtimex, clock_adjtime, sethostname, setdomainname
    164,
    227,
    159,
    305,
    170,
    171,
    // iopl, ioperm, modify_ldt
    172,
    173,
    154,
    ...NEWER,
  ],
};

const ARM64: SystemCalls = {
  audit: 0xc00000b7,
  clone: 220,
  ioctl: 29,
  fcntl: 25,
  socket: 198,
  socketPair: 199,
  // fchmod, fchmodat, fchmodat2, mknodat, openat
  setsMode: [
    { call: 52, mode: 1 },
    { call: 53, mode: 2 },
    { call: FCHMODAT2, mode: 2 },
    { call: 33, mode: 2 },
    { call: 56, mode: 3, flags: 2 },
  ],
  absent: [CLONE3, OPENAT2],
  refused: [
    // ptrace, process_vm_readv, process_vm_writev, kcmp
    117,
    270,
    271,
    272,
    // add_key, request_key, keyctl
    217,
    218,
    219,
    // bpf, perf_event_open, userfaultfd, fanotify_init
    280,
    241,
    282,
    262,
    // mount, umount2, pivot_root, chroot, setns, unshare
    40,
    39,
    41,
    51,
    268,
    97,
    // init_module, delete_module, finit_module, kexec_load, kexec_file_load
    105,
    106,
    273,
    104,
    294,
    // name_to_handle_at, open_by_handle_at
    264,
    265,
    // quotactl, reboot, swapon, swapoff, acct, syslog, lookup_dcookie, vhangup, nfsservctl
    60,
    142,
    224,
    225,
    89,
    116,
    18,
    58,
    42,
    // settimeofday, clock_settime, adjtimex, clock_adjtime, sethostname, setdomainname
    170,
    112,
    171,
    266,
    161,
    162,
    ...NEWER,
  ],
};

/** By Node's name of the processor. */
export const SYSTEM_CALLS: { readonly [processor: string]: SystemCalls | undefined } = {
  x64: X64,
  arm64: ARM64,
};
