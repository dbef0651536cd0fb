# Installs @PROGRAM@ @VERSION@ for one user: downloads the archive, compares its sum, unpacks the program.
#
#   powershell -File @PROGRAM@-installer.ps1 [-To FOLDER] [-From ADDRESS]
param(
    [string] $To = (Join-Path $env:LOCALAPPDATA 'Programs\@PROGRAM@'),
    [string] $From = '@DOWNLOADS@'
)
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 3.0
# The bar of PowerShell 5 makes downloads slow.
$ProgressPreference = 'SilentlyContinue'

$name = '@PROGRAM@-@VERSION@-x86_64-pc-windows-msvc'
$archive = "$name.zip"
$folder = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString())
New-Item -ItemType Directory -Path $folder | Out-Null
try {
    foreach ($file in 'SHA256SUMS', $archive) {
        Invoke-WebRequest -UseBasicParsing -Uri "$From/$file" -OutFile (Join-Path $folder $file)
    }
    $lines = Get-Content -Path (Join-Path $folder 'SHA256SUMS')
    $line = $lines | Where-Object { ($_ -split '\s+')[1] -eq $archive } | Select-Object -First 1
    if (-not $line) {
        throw "$From/SHA256SUMS has no line for $archive"
    }
    $expected = ($line -split '\s+')[0]
    $found = (Get-FileHash -Algorithm SHA256 -Path (Join-Path $folder $archive)).Hash
    if ($found -ne $expected) {
        throw "$archive has the sum $found, and SHA256SUMS says $expected"
    }
    Expand-Archive -Path (Join-Path $folder $archive) -DestinationPath $folder
    New-Item -ItemType Directory -Force -Path $To | Out-Null
    $program = Join-Path $To '@PROGRAM@.exe'
    # A program that runs cannot be replaced, but renamed.
    if (Test-Path -Path $program) {
        Move-Item -Force -Path $program -Destination "$program.old"
    }
    Copy-Item -Path (Join-Path $folder "$name\@PROGRAM@.exe") -Destination $program
    Write-Output "installed $program"
}
finally {
    Remove-Item -Recurse -Force -Path $folder
}
$path = [Environment]::GetEnvironmentVariable('Path', 'User')
if (($path -split ';') -notcontains $To) {
    Write-Output "$To is not in your Path; add it, or give clients the whole path"
}
