# What only Windows itself can do for the csi-proxy. One process serves many requests, several at a time.
#
# A line in:   {"id":1,"operation":"mountVolume","arguments":{"volumeId":"...","path":"..."}}
# A line out:  {"id":1,"value":...}  or  {"id":1,"error":{"kind":"absent|state|other","message":"..."}}
# The first line out is {"ready":true}.
#
# What comes in is data. It becomes the value of a parameter, of a variable or of one side of a comparison: it is never
# part of a script, of a query, of a pattern or of a command line. Things are found by comparing them with -ceq or -eq,
# since parameters that look something up by name may take a name for a pattern.
#
# For Windows PowerShell 5.1, which every Windows has. Started with -Command: with -File the host itself reads what comes in.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 3.0

Add-Type -AssemblyName System.ServiceProcess
Add-Type -TypeDefinition @'
using System;
using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

public static class TroupeNative
{
    [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true, ExactSpelling = true)]
    static extern bool SetVolumeMountPointW(string mountPoint, string volume);

    [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true, ExactSpelling = true)]
    static extern bool DeleteVolumeMountPointW(string mountPoint);

    [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true, ExactSpelling = true)]
    static extern bool GetVolumeNameForVolumeMountPointW(string mountPoint, StringBuilder volume, int length);

    [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true, ExactSpelling = true)]
    static extern SafeFileHandle CreateFileW(
        string path, uint access, uint share, IntPtr security, uint disposition, uint flags, IntPtr template);

    [DllImport("kernel32.dll", SetLastError = true, ExactSpelling = true)]
    static extern bool DeviceIoControl(
        SafeFileHandle device, uint code, byte[] request, int requestLength, byte[] answer, int answerLength,
        out int answered, IntPtr overlapped);

    // 0, or the error code of Windows.
    public static int Mount(string mountPoint, string volume)
    {
        return SetVolumeMountPointW(mountPoint, volume) ? 0 : Marshal.GetLastWin32Error();
    }

    public static int Unmount(string mountPoint)
    {
        return DeleteVolumeMountPointW(mountPoint) ? 0 : Marshal.GetLastWin32Error();
    }

    // Null: no volume is mounted there.
    public static string MountedVolume(string mountPoint)
    {
        var volume = new StringBuilder(64);
        return GetVolumeNameForVolumeMountPointW(mountPoint, volume, volume.Capacity) ? volume.ToString() : null;
    }

    // STORAGE_DEVICE_ID_DESCRIPTOR of the device.
    public static byte[] Identifiers(string device)
    {
        const uint ReadWriteShared = 3, OpenExisting = 3, QueryProperty = 0x2D1400;
        using (var handle = CreateFileW(device, 0, ReadWriteShared, IntPtr.Zero, OpenExisting, 0, IntPtr.Zero))
        {
            if (handle.IsInvalid) throw new Win32Exception(Marshal.GetLastWin32Error());
            var request = new byte[12];
            request[0] = 2; // StorageDeviceIdProperty, as a standard query
            var answer = new byte[16384];
            int length;
            if (!DeviceIoControl(
                    handle, QueryProperty, request, request.Length, answer, answer.Length, out length, IntPtr.Zero))
                throw new Win32Exception(Marshal.GetLastWin32Error());
            Array.Resize(ref answer, length);
            return answer;
        }
    }
}
'@

function Troupe-Absent([string]$Message) { throw (New-Object Collections.Generic.KeyNotFoundException $Message) }
function Troupe-State([string]$Message) { throw (New-Object InvalidOperationException $Message) }

# What went wrong, as it is told.
function Troupe-Failure([Management.Automation.ErrorRecord]$Record) {
    $reason = $Record.Exception.GetBaseException()
    $kind = 'other'
    if ($reason -is [Collections.Generic.KeyNotFoundException]) { $kind = 'absent' }
    elseif ($reason.GetType() -eq [InvalidOperationException]) { $kind = 'state' }
    @{ kind = $kind; message = [string]$reason.Message }
}

# --- storage

function Troupe-Storage([string]$Class) {
    Get-CimInstance -Namespace 'Root\Microsoft\Windows\Storage' -ClassName $Class
}

# The value as the provider has it: type data of modules turn some numbers into words.
function Troupe-Raw($Instance, [string]$Property) { $Instance.CimInstanceProperties[$Property].Value }

function Troupe-Call($Instance, [string]$Method, [hashtable]$Arguments = @{}, [uint32[]]$Accepted = @(0)) {
    $result = Invoke-CimMethod -InputObject $Instance -MethodName $Method -Arguments $Arguments
    if ($Accepted -notcontains $result.ReturnValue) { throw "$Method failed with code $($result.ReturnValue)" }
    $result
}

function Troupe-Disk([uint32]$Number) {
    $found = @(Troupe-Storage 'MSFT_Disk' | Where-Object { $_.Number -eq $Number })
    if ($found.Count -eq 0) { Troupe-Absent "there is no disk $Number" }
    $found[0]
}

function Troupe-Volume([string]$Id) {
    $found = @(Troupe-Storage 'MSFT_Volume' | Where-Object { $_.UniqueId -ceq $Id })
    if ($found.Count -eq 0) { Troupe-Absent "there is no volume $Id" }
    $found[0]
}

function Troupe-PartitionOf([string]$VolumeId) {
    $found = @(Troupe-Storage 'MSFT_Partition' | Where-Object { @($_.AccessPaths) -ccontains $VolumeId })
    if ($found.Count -eq 0) { Troupe-Absent "there is no partition of volume $VolumeId" }
    $found[0]
}

# Everything, or what is on some disks. Sizes are text: JSON has no numbers of 64 bits.
function Troupe-Rows([uint32[]]$Only = $null) {
    $disks = @(Troupe-Storage 'MSFT_Disk' | Where-Object { $null -eq $Only -or $Only -contains $_.Number })
    $partitions = @(Troupe-Storage 'MSFT_Partition' | Where-Object { $null -eq $Only -or $Only -contains $_.DiskNumber })
    $paths = @($partitions | ForEach-Object { $_.AccessPaths } | Where-Object { $_ })
    $volumes = @(Troupe-Storage 'MSFT_Volume' | Where-Object { $null -eq $Only -or $paths -ccontains $_.UniqueId })
    @{
        disks      = @($disks | ForEach-Object {
                @{
                    number = $_.Number; path = [string]$_.Path; serialNumber = [string]$_.SerialNumber
                    location = [string]$_.Location; sizeBytes = [string]$_.Size
                    isRaw = ((Troupe-Raw $_ 'PartitionStyle') -eq 0); isOffline = [bool]$_.IsOffline
                    table = [string]$_.Guid; isReadOnly = [bool]$_.IsReadOnly
                }
            })
        partitions = @($partitions | ForEach-Object {
                @{
                    disk = $_.DiskNumber; number = $_.PartitionNumber; gptType = [string]$_.GptType
                    accessPaths = @($_.AccessPaths | Where-Object { $_ } | ForEach-Object { [string]$_ })
                }
            })
        volumes    = @($volumes | ForEach-Object {
                @{
                    id = [string]$_.UniqueId; fileSystemType = [int](Troupe-Raw $_ 'FileSystemType')
                    sizeBytes = [string]$_.Size; remainingBytes = [string]$_.SizeRemaining
                }
            })
    }
}

function Troupe-Do-listStorage($Given) { Troupe-Rows }

function Troupe-Do-rescan($Given) {
    $result = Invoke-CimMethod -Namespace 'Root\Microsoft\Windows\Storage' -ClassName 'MSFT_StorageSetting' `
        -MethodName 'UpdateHostStorageCache'
    if ($result.ReturnValue -ne 0) { throw "UpdateHostStorageCache failed with code $($result.ReturnValue)" }
}

function Troupe-Do-listIdentifiers($Given) {
    @{
        identifiers = @(Troupe-Storage 'MSFT_Disk' | ForEach-Object {
                $number = $_.Number
                try {
                    $bytes = [TroupeNative]::Identifiers([string]$_.Path)
                    @{ disk = $number; descriptor = [Convert]::ToBase64String($bytes); failure = '' }
                }
                catch { @{ disk = $number; descriptor = ''; failure = [string]$_.Exception.GetBaseException().Message } }
            })
    }
}

function Troupe-Do-initializeDisk($Given) {
    [uint32]$number = $Given.disk
    [void](Troupe-Call (Troupe-Disk $number) 'Initialize' @{ PartitionStyle = [uint16]2 })
    Troupe-Rows $number
}

function Troupe-Do-createPartition($Given) {
    [uint32]$number = $Given.disk
    $disk = Troupe-Disk $number
    $arguments = @{ UseMaximumSize = $true }
    if ((Troupe-Raw $disk 'PartitionStyle') -eq 1) { $arguments.MbrType = [uint16]7 }
    else { $arguments.GptType = '{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}' }
    # 42002: made, and its access path could not be assigned, of which there is none.
    [void](Troupe-Call $disk 'CreatePartition' $arguments @(0, 42002))
    [void](Troupe-Call $disk 'Refresh')
    $reserved = '{e3c9e316-0b5c-4db8-817d-f92df00215ae}'
    $made = @(Troupe-Storage 'MSFT_Partition' | Where-Object { $_.DiskNumber -eq $number -and $_.GptType -ne $reserved })
    if ($made.Count -gt 0 -and $made[0].IsOffline) { [void](Troupe-Call $made[0] 'Online') }
    Troupe-Rows $number
}

function Troupe-Do-setDiskState($Given) {
    [uint32]$number = $Given.disk
    $method = if ($Given.isOnline -eq $true) { 'Online' } else { 'Offline' }
    [void](Troupe-Call (Troupe-Disk $number) $method)
    Troupe-Rows $number
}

function Troupe-Mount([string]$VolumeId, [string]$Path) {
    $code = [TroupeNative]::Mount($Path, $VolumeId)
    if ($code -eq 0) { return }
    $there = [TroupeNative]::MountedVolume($Path)
    if ($there -ceq $VolumeId) { return }
    if ($null -ne $there) { Troupe-State "another volume is mounted on $Path" }
    switch ($code) {
        2 { Troupe-Absent "there is no $Path, or no volume $VolumeId" }
        3 { Troupe-Absent "there is no $Path" }
        145 { Troupe-State "the directory $Path is not empty" }
        267 { Troupe-State "$Path is no directory" }
    }
    throw (New-Object ComponentModel.Win32Exception $code)
}

# Each by itself: one that fails keeps no other from being made.
function Troupe-Do-mountVolumes($Given) {
    @{
        failures = @($Given.mounts | ForEach-Object {
                $failure = @{ kind = ''; message = '' }
                try { Troupe-Mount ([string]$_.volumeId) ([string]$_.path) } catch { $failure = Troupe-Failure $_ }
                $failure
            })
    }
}

function Troupe-Do-unmountVolume($Given) {
    [string]$path = $Given.path
    [void](Troupe-Call (Troupe-Volume ([string]$Given.volumeId)) 'Flush')
    if ($null -eq [TroupeNative]::MountedVolume($path)) { Troupe-Absent "${path}: not a mounted folder" }
    $code = [TroupeNative]::Unmount($path)
    if ($code -ne 0) { throw (New-Object ComponentModel.Win32Exception $code) }
}

function Troupe-Do-mountedVolume($Given) { @{ volumeId = [TroupeNative]::MountedVolume([string]$Given.path) } }

function Troupe-Do-flushVolume($Given) { [void](Troupe-Call (Troupe-Volume ([string]$Given.volumeId)) 'Flush') }

function Troupe-Do-formatVolume($Given) {
    [string]$volumeId = $Given.volumeId
    [void](Troupe-Call (Troupe-Volume $volumeId) 'Format' @{ FileSystem = 'NTFS'; Full = $false; Force = $true })
    Troupe-Rows (Troupe-PartitionOf $volumeId).DiskNumber
}

function Troupe-Do-partitionSizes($Given) {
    $partition = Troupe-PartitionOf ([string]$Given.volumeId)
    $largest = (Troupe-Call $partition 'GetSupportedSize').SizeMax
    @{ currentBytes = [string]$partition.Size; largestBytes = [string]$largest }
}

function Troupe-Do-resizePartition($Given) {
    $partition = Troupe-PartitionOf ([string]$Given.volumeId)
    [void](Troupe-Call $partition 'Resize' @{ Size = [uint64]$Given.sizeBytes })
    [void](Troupe-Call (Troupe-Disk $partition.DiskNumber) 'Refresh')
    Troupe-Rows $partition.DiskNumber
}

# --- SMB

function Troupe-Mapping([string]$Root) {
    $all = @(Get-CimInstance -Namespace 'Root\Microsoft\Windows\Smb' -ClassName 'MSFT_SmbGlobalMapping')
    @($all | Where-Object { $_.RemotePath -eq $Root }) | Select-Object -First 1
}

function Troupe-Do-smbMapping($Given) {
    $mapping = Troupe-Mapping ([string]$Given.root)
    @{ status = $(if ($null -eq $mapping) { $null } else { [int](Troupe-Raw $mapping 'Status') }) }
}

function Troupe-Do-newSmbMapping($Given) {
    $parameters = @{ RemotePath = [string]$Given.root; RequirePrivacy = [bool]$Given.requirePrivacy }
    if ([string]$Given.username -ne '') {
        $password = New-Object Security.SecureString
        foreach ($letter in ([string]$Given.password).ToCharArray()) { $password.AppendChar($letter) }
        $parameters.Credential = New-Object Management.Automation.PSCredential ([string]$Given.username), $password
    }
    [void](New-SmbGlobalMapping @parameters)
}

function Troupe-Do-removeSmbMapping($Given) {
    $mapping = Troupe-Mapping ([string]$Given.root)
    if ($null -eq $mapping) { Troupe-Absent "$($Given.root) is not mapped" }
    Remove-SmbGlobalMapping -InputObject $mapping -Force -Confirm:$false
}

# --- iSCSI

function Troupe-Portal($Given) {
    [string]$address = $Given.address
    [uint16]$port = $Given.port
    $found = @(Troupe-Storage 'MSFT_iSCSITargetPortal' | Where-Object {
            $_.TargetPortalAddress -eq $address -and $_.TargetPortalPortNumber -eq $port
        })
    if ($found.Count -eq 0) { Troupe-Absent "there is no target portal ${address}:$port" }
    $found[0]
}

function Troupe-Targets($Given) {
    @(Get-CimAssociatedInstance -InputObject (Troupe-Portal $Given) -ResultClassName 'MSFT_iSCSITarget')
}

function Troupe-Target($Given) {
    [string]$iqn = $Given.iqn
    $found = @(Troupe-Targets $Given | Where-Object { $_.NodeAddress -ceq $iqn })
    if ($found.Count -eq 0) { Troupe-Absent "there is no target $iqn behind $($Given.address):$($Given.port)" }
    $found[0]
}

function Troupe-Do-listPortals($Given) {
    @{
        portals = @(Troupe-Storage 'MSFT_iSCSITargetPortal' | ForEach-Object {
                @{ address = [string]$_.TargetPortalAddress; port = [int]$_.TargetPortalPortNumber }
            })
    }
}

function Troupe-Do-addPortal($Given) {
    try { [void](Troupe-Portal $Given) }
    catch [Collections.Generic.KeyNotFoundException] {
        [void](New-IscsiTargetPortal -TargetPortalAddress ([string]$Given.address) `
                -TargetPortalPortNumber ([uint16]$Given.port))
    }
}

function Troupe-Do-removePortal($Given) {
    Remove-IscsiTargetPortal -InputObject (Troupe-Portal $Given) -Confirm:$false
}

function Troupe-Do-listTargets($Given) {
    @{ iqns = @(Troupe-Targets $Given | ForEach-Object { [string]$_.NodeAddress }) }
}

function Troupe-Do-connectTarget($Given) {
    $target = Troupe-Target $Given
    if ($target.IsConnected) { return }
    $parameters = @{
        NodeAddress = [string]$target.NodeAddress; AuthenticationType = [string]$Given.authentication
        TargetPortalAddress = [string]$Given.address; TargetPortalPortNumber = [uint16]$Given.port
        IsPersistent = $false
    }
    if ([string]$Given.authentication -ne 'NONE') {
        $parameters.ChapUsername = [string]$Given.username
        $parameters.ChapSecret = [string]$Given.secret
    }
    [void](Connect-IscsiTarget @parameters)
}

function Troupe-Do-disconnectTarget($Given) {
    $target = Troupe-Target $Given
    if (-not $target.IsConnected) { return }
    foreach ($session in @(Get-CimAssociatedInstance -InputObject $target -ResultClassName 'MSFT_iSCSISession')) {
        if ($session.IsPersistent) { Unregister-IscsiSession -InputObject $session -Confirm:$false }
    }
    Disconnect-IscsiTarget -InputObject $target -Confirm:$false
}

function Troupe-Do-targetDisks($Given) {
    $target = Troupe-Target $Given
    $sessions = @()
    if ($target.IsConnected) {
        $sessions = @(Get-CimAssociatedInstance -InputObject $target -ResultClassName 'MSFT_iSCSISession')
    }
    @{
        disks = @($sessions | ForEach-Object {
                Get-CimAssociatedInstance -InputObject $_ -ResultClassName 'MSFT_Disk'
            } | ForEach-Object { $_.Number })
    }
}

function Troupe-Do-setChapSecret($Given) { Set-IscsiChapSecret -ChapSecret ([string]$Given.secret) }

# --- the node and its services

function Troupe-Service($Given) {
    [string]$name = $Given.name
    $found = @(Get-CimInstance -ClassName 'Win32_Service' | Where-Object { $_.Name -eq $name })
    if ($found.Count -eq 0) { Troupe-Absent "there is no service $name" }
    $found[0]
}

function Troupe-Do-biosSerialNumber($Given) {
    @{ serialNumber = [string](@(Get-CimInstance -ClassName 'CIM_BIOSElement')[0].SerialNumber) }
}

function Troupe-Do-getService($Given) {
    $service = Troupe-Service $Given
    @{
        displayName = [string]$service.DisplayName; startMode = [string]$service.StartMode
        state = [string]$service.State
    }
}

function Troupe-Do-startService($Given) {
    @{ code = [int](Invoke-CimMethod -InputObject (Troupe-Service $Given) -MethodName 'StartService').ReturnValue }
}

function Troupe-Do-stopService($Given) {
    @{ code = [int](Invoke-CimMethod -InputObject (Troupe-Service $Given) -MethodName 'StopService').ReturnValue }
}

function Troupe-Do-runningDependents($Given) {
    $controller = New-Object ServiceProcess.ServiceController ([string](Troupe-Service $Given).Name)
    @{
        names = @($controller.DependentServices | Where-Object { $_.Status -eq 'Running' } | ForEach-Object {
                [string]$_.ServiceName
            })
    }
}

# --- requests

function Troupe-Serve([string]$Line, [IO.TextWriter]$Answers) {
    $ErrorActionPreference = 'Stop'
    Set-StrictMode -Version 3.0
    $answer = @{ id = -1 }
    try {
        $request = ConvertFrom-Json -InputObject $Line
        $answer.id = $request.id
        $name = 'Troupe-Do-' + [string]$request.operation
        $known = @(Get-ChildItem 'Function:' | Where-Object { $_.Name -ceq $name })
        if ($known.Count -ne 1) { throw "there is no operation '$($request.operation)'" }
        $answer.value = & $known[0] $request.arguments
    }
    catch {
        $answer.Remove('value')
        $answer.error = Troupe-Failure $_
    }
    $Answers.WriteLine((ConvertTo-Json -InputObject $answer -Compress -Depth 6))
}

$utf8 = New-Object Text.UTF8Encoding $false
$requests = New-Object IO.StreamReader ([Console]::OpenStandardInput()), $utf8
$writer = New-Object IO.StreamWriter ([Console]::OpenStandardOutput()), $utf8
$writer.AutoFlush = $true
# Several requests answer at a time; a line must not be torn by another.
$answers = [IO.TextWriter]::Synchronized($writer)

$state = [Management.Automation.Runspaces.InitialSessionState]::CreateDefault()
foreach ($function in @(Get-ChildItem 'Function:' | Where-Object { $_.Name -clike 'Troupe-*' })) {
    $entry = New-Object Management.Automation.Runspaces.SessionStateFunctionEntry $function.Name, $function.Definition
    $state.Commands.Add($entry)
}
$pool = [Management.Automation.Runspaces.RunspaceFactory]::CreateRunspacePool(1, 8, $state, $Host)
$pool.Open()
$answers.WriteLine('{"ready":true}')

$running = New-Object Collections.ArrayList
while ($null -ne ($line = $requests.ReadLine())) {
    foreach ($ended in @($running | Where-Object { $_.Handle.IsCompleted })) {
        [void]$ended.Shell.EndInvoke($ended.Handle)
        $ended.Shell.Dispose()
        $running.Remove($ended)
    }
    $shell = [PowerShell]::Create()
    $shell.RunspacePool = $pool
    [void]$shell.AddCommand('Troupe-Serve').AddParameter('Line', $line).AddParameter('Answers', $answers)
    [void]$running.Add([PSCustomObject]@{ Shell = $shell; Handle = $shell.BeginInvoke() })
}
